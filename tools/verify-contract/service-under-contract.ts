import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Verifier } from '@pact-foundation/pact';
import {
  aSecret,
  createTestDatabase,
  type Received,
  Receiver,
  ServiceProcess,
  temporaryFolder,
  type TestDatabase,
  webhookSettings,
} from 'testing';
import { contractOf, type Interaction } from './contract.js';
import { States } from './states.js';

/** Variables that Pact's verifier would read: a broker, and filters for interactions. */
const FILTERS = /^PACT_(?:BROKER_|DESCRIPTION$|PROVIDER_)/;

/** Maximum milliseconds until the event of a state arrives. Pact's verifier itself waits for 30 s. */
const EVENT_TIMEOUT = 15_000;

/** The media type that Pact writes into a contract that names none. */
const DEFAULT_TYPE = 'application/json';

/** The built service, with its own database and receiver of events. Contracts are verified one by one. */
export class ServiceUnderContract {
  private readonly states: States;
  private readonly file = join(temporaryFolder(), 'pact.json');

  private constructor(
    private readonly service: ServiceProcess,
    private readonly database: TestDatabase,
    private readonly receiver: Receiver,
  ) {
    this.states = new States(service.url, database);
  }

  /** @param flags options of Node for the service's process */
  static async start(flags: readonly string[] = []): Promise<ServiceUnderContract> {
    const database = await createTestDatabase();
    const receiver = await Receiver.start();
    const endpoint = { name: 'contract', url: receiver.url, secrets: [aSecret()] };
    try {
      const settings = { ...webhookSettings(endpoint), DATABASE_URL: database.url };
      const service = await ServiceProcess.start(settings, flags);
      return new ServiceUnderContract(service, database, receiver);
    } catch (error) {
      await receiver.close();
      await database.drop();
      throw error;
    }
  }

  /**
   * Verifies the service against a contract. Pact's verifier prints which interactions hold.
   *
   * @param document the JSON of a pact
   * @returns whether the service keeps the contract; pending interactions do not count
   * @throws Error if a part of the contract could not be verified
   */
  async keeps(document: unknown): Promise<boolean> {
    const { provider, interactions } = contractOf(document);
    writeFileSync(this.file, JSON.stringify(document));
    for (const name of Object.keys(process.env)) if (FILTERS.test(name)) delete process.env[name];
    const verifier = new Verifier({
      provider: provider.name,
      providerBaseUrl: this.service.url,
      pactUrls: [this.file],
      logLevel: 'warn',
      stateHandlers: this.states.handlers,
      messageProviders: Object.fromEntries(
        interactions.map((interaction) => [interaction.description, () => this.lastEvent(interaction)]),
      ),
    });
    this.states.entered = 0;
    let isKept = true;
    await verifier.verifyProvider().catch(() => (isKept = false));
    this.expectAllStates(interactions);
    return isKept;
  }

  async stop(): Promise<void> {
    await this.service.stop('SIGKILL');
    await this.receiver.close();
    await this.database.drop();
  }

  /** @throws Error if a state could not be set up: Pact's verifier would go on without it */
  private expectAllStates(interactions: readonly Interaction[]): void {
    const { entered, names } = this.states;
    if (entered === interactions.length) return;
    for (const { name } of interactions.flatMap(({ providerStates = [] }) => providerStates)) {
      if (!names.includes(name)) throw new Error(`There is no state "${name}". The states are: ${names.join(', ')}.`);
    }
    throw new Error(`Only ${entered} of ${interactions.length} states could be set up: see above.`);
  }

  /** The message that Pact compares. It is empty if no event arrives, since after an error Pact would try again. */
  private async lastEvent(expected: Interaction): Promise<object> {
    const { eventId } = this.states;
    if (eventId === undefined) return {};
    const deadline = performance.now() + EVENT_TIMEOUT;
    while (performance.now() < deadline) {
      const received = this.receiver.received.find(({ event }) => event.id === eventId);
      if (received !== undefined) return messageOf(received, expected);
      await sleep(20);
    }
    return {};
  }
}

/** The event, with the media type of its request if the contract names that type, otherwise with Pact's default. */
function messageOf({ event, headers }: Received, { contents, metadata }: Interaction): object {
  const sent = headers['content-type']?.split(';', 1)[0];
  const bodyType = contents?.contentType === sent ? sent : DEFAULT_TYPE;
  const contentType = metadata?.contentType === undefined ? bodyType : sent;
  // Pact's proxy responds with the media type in `content-type`, and passes `contentType` to the verifier.
  return { __pactMessageMetadata: { 'content-type': bodyType, contentType }, message: event };
}
