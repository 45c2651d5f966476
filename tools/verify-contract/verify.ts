import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingsClient } from '@booking-service/client';
import { Verifier } from '@pact-foundation/pact';
import { aSecret, createTestDatabase, Receiver, ServiceProcess, until } from 'testing';
import { readContract } from './contract.js';
import { States } from './states.js';

/** Pact's verifier reads these itself: a broker, and which interactions it leaves out. */
const FILTERS = /^PACT_(?:BROKER_|DESCRIPTION$|PROVIDER_)/;

/**
 * Verifies the built service against a contract. Pact's verifier prints what holds and what does not.
 *
 * @param path of a pact file
 * @returns whether the service keeps it, apart from what is pending
 * @throws Error if not all of it could be verified
 */
export async function verify(path: string): Promise<boolean> {
  const { provider, interactions } = readContract(path);
  for (const name of Object.keys(process.env)) if (FILTERS.test(name)) delete process.env[name];
  const database = await createTestDatabase();
  const receiver = await Receiver.start();
  const folder = mkdtempSync(join(tmpdir(), 'verify-contract-'));
  const file = join(folder, 'webhooks.json');
  const endpoint = { name: 'contract', url: receiver.url, secrets: [aSecret()], from: 'first' };
  writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
  let service: ServiceProcess | undefined;
  try {
    service = await ServiceProcess.start({
      DATABASE_URL: database.url,
      WEBHOOKS_FILE: file,
      WEBHOOKS_ALLOW_PRIVATE: 'true',
    });
    const states = new States(new BookingsClient({ baseUrl: service.url }), database);
    const message = async (): Promise<object> => {
      const find = () => receiver.received.find(({ event }) => event.id === states.eventId);
      await until(() => find() !== undefined);
      return find()!.event;
    };
    const isKept = await new Verifier({
      provider: provider.name,
      providerBaseUrl: service.url,
      pactUrls: [path],
      logLevel: 'error',
      stateHandlers: states.handlers,
      messageProviders: Object.fromEntries(interactions.map(({ description }) => [description, message])),
    })
      .verifyProvider()
      .then(() => true, isBroken);
    const [{ entered }, { length }] = [states, interactions];
    if (entered !== length) throw new Error(`The states of ${entered} of ${length} interactions were made.`);
    return isKept;
  } finally {
    await service?.stop('SIGKILL');
    await receiver.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  }
}

/** @returns false for a contract that is broken @throws the error, if it is another one */
function isBroken(error: Error): false {
  // The verifier's message, in its own spelling.
  if (/^Ver\w+ failed$/.test(error.message)) return false;
  throw error;
}
