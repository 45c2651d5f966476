import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { aSecret, Receiver, until } from 'testing';

/** An endpoint of the service. */
export class Endpoint {
  private readonly folder = mkdtempSync(join(tmpdir(), 'events-'));
  private readonly secret = aSecret();

  private constructor(private readonly receiver: Receiver) {}

  static async start(): Promise<Endpoint> {
    return new Endpoint(await Receiver.start());
  }

  /** Settings of a service that sends its events here. */
  get settings(): Record<string, string> {
    const endpoint = { name: 'contract', url: this.receiver.url, secrets: [this.secret], from: 'first' };
    const file = join(this.folder, 'webhooks.json');
    writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
    return { WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
  }

  /** @throws Error if it does not arrive, or not with a valid signature: then it is not checked against a contract */
  async event(id: string | undefined): Promise<object> {
    const find = () => this.receiver.received.find(({ event }) => event.id === id);
    await until(() => find() !== undefined);
    const { headers, body, event } = find()!;
    new Webhook(this.secret).verify(body, headers as Record<string, string>);
    return event;
  }

  async stop(): Promise<void> {
    await this.receiver.close();
    rmSync(this.folder, { recursive: true });
  }
}
