import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { aSecret, Receiver } from 'testing';

/** Milliseconds after which an event that has not arrived is taken for lost. */
const TIMEOUT = 60_000;

/** An endpoint of the service. Only events whose signature is valid are checked against a contract. */
export class Endpoint {
  private readonly folder = mkdtempSync(join(tmpdir(), 'events-'));
  private readonly events = new Map<string, object>();

  private constructor(private readonly receiver: Receiver) {}

  static async start(): Promise<Endpoint> {
    const [receiver, secret] = [await Receiver.start(), aSecret()];
    const endpoint = new Endpoint(receiver);
    receiver.behaviour = ({ headers, body, event }, response) => {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      endpoint.events.set(event.id, event);
      response.writeHead(204).end();
    };
    const endpoints = [{ name: 'contract', url: receiver.url, secrets: [secret], from: 'first' }];
    writeFileSync(endpoint.file, JSON.stringify({ endpoints }));
    return endpoint;
  }

  /** Settings of a service that sends its events here. */
  get settings(): Record<string, string> {
    return { WEBHOOKS_FILE: this.file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
  }

  /** @throws Error if it does not arrive */
  async event(id: string | undefined): Promise<object> {
    for (const deadline = Date.now() + TIMEOUT; Date.now() < deadline; await sleep(10)) {
      const event = this.events.get(id ?? '');
      if (event !== undefined) return event;
    }
    throw new Error(`The service did not send ${id} with a valid signature.`);
  }

  async stop(): Promise<void> {
    await this.receiver.close();
    rmSync(this.folder, { recursive: true });
  }

  private get file(): string {
    return join(this.folder, 'webhooks.json');
  }
}
