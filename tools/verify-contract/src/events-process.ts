import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { programOf } from 'testing';
import { BookingsProcess } from './bookings-process.js';
import type { BookingsState, StateHandlers } from './provider-states.js';

const secret = `whsec_${Buffer.alloc(32, 'pact').toString('base64')}`;

interface Options {
  /** Creates the database of a state. @returns the connection string of an empty one */
  createDatabase: () => Promise<string>;
  /** Settings of the service, beside those of its endpoint. */
  settings?: Record<string, string>;
  /** Changes what was received, for tests of contracts that are broken. */
  change?: (event: string) => string;
  /** Milliseconds that an event may take from the response to its create; 15,000 by default. */
  timeout?: number;
}

/**
 * The built service, with this class as its endpoint. Only events that the service sent and whose signature is valid
 * are checked against a contract.
 */
export class EventsProcess {
  private readonly folder = mkdtempSync(join(tmpdir(), 'events-'));
  private readonly received = new Map<string, string>();
  private service: BookingsProcess | undefined;
  private eventId: string | undefined;

  private constructor(
    private readonly endpoint: Server,
    private readonly options: Options,
  ) {}

  static async start(options: Options): Promise<EventsProcess> {
    const endpoint = createServer();
    const events = new EventsProcess(endpoint, options);
    endpoint.on('request', (request, response) => {
      // A request that breaks off is ignored; the service sends it again.
      text(request).then(
        (body) => response.writeHead(events.take(request.headers, body) ? 204 : 400).end(),
        () => response.destroy(),
      );
    });
    endpoint.listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const endpoints = [{ name: 'contract', url: events.url, secrets: [secret], from: 'first' }];
    writeFileSync(events.file, JSON.stringify({ endpoints }));
    return events;
  }

  readonly stateHandlers: StateHandlers = {
    'no bookings exist': async () => void (await this.enter({ bookings: [] })),
    'these bookings exist': async (state) => void (await this.enter(state)),
    'these bookings were deleted': async (state) => {
      const { url, ids } = await this.enter(state);
      const env = { DATABASE_URL: url };
      for (const id of ids) {
        await promisify(execFile)(process.execPath, [programOf('cli/booking.js'), 'delete', id, '--yes'], { env });
        this.eventId = `deleted-${id}`;
      }
    },
  };

  get url(): string {
    return `http://127.0.0.1:${(this.endpoint.address() as AddressInfo).port}`;
  }

  /** The last event of the state, as it was received. @throws Error if none arrives */
  readonly event = async (): Promise<string> => {
    if (this.eventId === undefined) throw new Error('No event is sent where no booking is made.');
    const deadline = Date.now() + (this.options.timeout ?? 15_000);
    for (;;) {
      const event = this.received.get(this.eventId);
      if (event !== undefined) return this.options.change?.(event) ?? event;
      if (Date.now() > deadline) throw new Error(`The service did not send ${this.eventId} with a good signature.`);
      await sleep(10);
    }
  };

  async stop(): Promise<void> {
    await this.service?.stop();
    this.endpoint.close();
    this.endpoint.closeAllConnections();
    rmSync(this.folder, { recursive: true });
  }

  private get file(): string {
    return join(this.folder, 'webhooks.json');
  }

  /** No operation removes bookings, so every state begins with a new process. */
  private async enter(state: BookingsState): Promise<{ url: string; ids: string[] }> {
    await this.service?.stop();
    this.eventId = undefined;
    const url = await this.options.createDatabase();
    this.service = await BookingsProcess.start({
      DATABASE_URL: url,
      WEBHOOKS_FILE: this.file,
      WEBHOOKS_ALLOW_PRIVATE: 'true',
      ...this.options.settings,
    });
    const ids = (await this.service.create(state)).map((made) => made.booking_id);
    this.eventId = ids.length === 0 ? undefined : `created-${ids.at(-1)}`;
    return { url, ids };
  }

  /** @returns whether it is an event of the service */
  private take(headers: IncomingHttpHeaders, body: string): boolean {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
    } catch {
      return false;
    }
    this.received.set(String(headers['webhook-id']), body);
    return true;
  }
}
