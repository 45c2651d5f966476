import { setTimeout as sleep } from 'node:timers/promises';
import { type MessageDescriptor, Verifier, type VerifierOptions } from '@pact-foundation/pact';
import {
  aSecret,
  createTestDatabase,
  type Received,
  Receiver,
  ServiceProcess,
  type TestDatabase,
  webhookSettings,
} from 'testing';
import type { Contract, Interaction } from './contract.js';
import { States } from './states.js';

/** Maximum milliseconds until the event of a state arrives. Pact's verifier itself waits for 30 s. */
const EVENT_TIMEOUT = 15_000;

/** The media type that Pact writes into a contract that names none. */
const DEFAULT_TYPE = 'application/json';

/** A contract that may be pending. */
interface Verifiable {
  readonly contract: Contract;
  readonly isPending?: boolean;
}

/** The built service, with its own database and receiver of events. */
export class ServiceUnderContract {
  private constructor(
    private readonly service: ServiceProcess,
    private readonly database: TestDatabase,
    private readonly receiver: Receiver,
  ) {}

  static async start(): Promise<ServiceUnderContract> {
    const database = await createTestDatabase();
    const receiver = await Receiver.start();
    const endpoint = { name: 'contract', url: receiver.url, secrets: [aSecret()] };
    try {
      const service = await ServiceProcess.start({ ...webhookSettings(endpoint), DATABASE_URL: database.url });
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
   * @param isPending whether the contract may name unknown states, which then count as broken
   * @param source the options that tell Pact's verifier where the contract is, and whether to publish
   * @returns whether the service keeps the contract; interactions that are pending do not count
   * @throws Error if a part of the contract could not be verified
   */
  async keeps({ contract, isPending = false }: Verifiable, source: VerifierOptions): Promise<boolean> {
    const { provider, interactions } = contract;
    const states = new States(this.service.url, this.database);
    const verifier = new Verifier({
      ...source,
      provider: provider.name,
      providerBaseUrl: this.service.url,
      logLevel: 'warn',
      beforeEach: async () => states.beginInteraction(),
      stateHandlers: handlersOf(states),
      // Pact's verifier goes on without a state that could not be set up: nothing may hold by chance.
      requestFilter: (_, response, next) => {
        if (states.fault === undefined) next();
        else response.status(424).json({ fault: states.fault });
      },
      messageProviders: this.messagesFor(interactions, states),
    });
    let isKept = true;
    await verifier.verifyProvider().catch(() => (isKept = false));
    const { begun } = states;
    const faults = isPending ? [] : states.faultsOf(interactions);
    if (!isKept && faults.length > 0) throw new Error(faults.join('\n'));
    if (begun === 0 || begun < interactions.length) {
      throw new Error(`${begun} of ${interactions.length} interactions were verified: see above.`);
    }
    return isKept;
  }

  async stop(): Promise<void> {
    await this.service.stop('SIGKILL');
    await this.receiver.close();
    await this.database.drop();
  }

  /** Interactions may share a description, and differ in their states. */
  private messagesFor(
    interactions: readonly Interaction[],
    states: States,
  ): NonNullable<VerifierOptions['messageProviders']> {
    const provide = ({ description, providerStates }: MessageDescriptor): Promise<object> => {
      const alike = interactions.filter((each) => each.description === description);
      const inState = alike.find((each) => namesOf(each) === namesOf({ providerStates }));
      return this.lastEvent(states, inState ?? alike[0]!);
    };
    return Object.fromEntries(interactions.map(({ description }) => [description, provide]));
  }

  /** The message that Pact compares. It is empty if no event arrives, since after an error Pact would try again. */
  private async lastEvent({ eventId }: States, expected: Interaction): Promise<object> {
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

function namesOf({ providerStates = [] }: { providerStates?: readonly { name: string }[] | undefined }): string {
  return JSON.stringify(providerStates.map(({ name }) => name));
}

/** A handler for whatever state a contract names. */
function handlersOf(states: States): NonNullable<VerifierOptions['stateHandlers']> {
  return new Proxy({}, { get: (_, name: string) => ({ setup: (given: unknown) => states.enter(name, given) }) });
}

/** The event, with the media type of its request if the contract names that type, otherwise with Pact's default. */
function messageOf({ event, headers }: Received, { contents, metadata }: Interaction): object {
  const sent = headers['content-type']?.split(';', 1)[0];
  const bodyType = contents?.contentType === sent ? sent : DEFAULT_TYPE;
  const contentType = metadata?.contentType === undefined ? bodyType : sent;
  // Pact's proxy responds with the media type in `content-type`, and passes `contentType` to the verifier.
  return { __pactMessageMetadata: { 'content-type': bodyType, contentType }, message: event };
}
