import { readFileSync } from 'node:fs';
import { BookingsClient } from '@booking-service/client';
import { Verifier } from '@pact-foundation/pact';
import { aSecret, createTestDatabase, Receiver, ServiceProcess, until, webhookSettings } from 'testing';
import * as z from 'zod';
import { States } from './states.js';

/** Variables that Pact's verifier reads: a broker, and filters of interactions. */
const FILTERS = /^PACT_(?:BROKER_|DESCRIPTION$|PROVIDER_)/;

/** Pact's verifier would enter only the last of several states. */
const interaction = z.object({ description: z.string(), providerStates: z.array(z.unknown()).max(1).optional() });
/** A pact file. To Pact, responses and events come from two providers. */
const contract = z.object({
  provider: z.object({ name: z.enum(['bookings-service', 'bookings-service-events']) }),
  interactions: z.array(interaction).min(1),
});

/**
 * Verifies the built service against the contract of a pact file. Pact's verifier prints what holds and what does not.
 *
 * @returns whether the service keeps it, apart from what is pending
 * @throws Error if not all of it could be verified
 */
export async function verify(path: string): Promise<boolean> {
  const { provider, interactions } = contract.parse(JSON.parse(readFileSync(path, 'utf8')));
  for (const name of Object.keys(process.env)) if (FILTERS.test(name)) delete process.env[name];
  const database = await createTestDatabase();
  const receiver = await Receiver.start();
  const endpoint = { name: 'contract', url: receiver.url, secrets: [aSecret()], from: 'first' } as const;
  let service: ServiceProcess | undefined;
  try {
    service = await ServiceProcess.start({ ...webhookSettings(endpoint), DATABASE_URL: database.url });
    const states = new States(new BookingsClient({ baseUrl: service.url }), database);
    const lastEvent = async (): Promise<object> => {
      const find = () => receiver.received.find(({ event }) => event.id === states.eventId);
      await until(() => find() !== undefined);
      return find()!.event;
    };
    const verifier = new Verifier({
      provider: provider.name,
      providerBaseUrl: service.url,
      pactUrls: [path],
      logLevel: 'warn',
      stateHandlers: states.handlers,
      messageProviders: Object.fromEntries(interactions.map(({ description }) => [description, lastEvent])),
    });
    let isKept = true;
    await verifier.verifyProvider().catch(() => (isKept = false));
    if (states.entered < interactions.length) throw new Error(`Only ${states.entered} states could be made.`);
    return isKept;
  } finally {
    await service?.stop('SIGKILL');
    await receiver.close();
    await database.drop();
  }
}
