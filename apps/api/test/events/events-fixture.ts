import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aSecret, createTestDatabase, type TestDatabase } from 'testing';
import { type Api, api } from '../support/api.js';
import { type RunningApp, startApp } from '../support/start-app.js';

export interface EndpointEntry {
  name: string;
  url: string;
  secrets?: string[];
  from?: string;
  resource_id_prefix?: string;
}

/** A file of endpoints, a database, and services that use both. */
export class EventsFixture {
  readonly secret = aSecret();
  private readonly folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  private readonly running: RunningApp[] = [];

  constructor(readonly database: TestDatabase) {}

  static async create(): Promise<EventsFixture> {
    return new EventsFixture(await createTestDatabase());
  }

  get file(): string {
    return join(this.folder, 'webhooks.json');
  }

  get env(): Record<string, string> {
    return {
      DATABASE_URL: this.database.url,
      WEBHOOKS_FILE: this.file,
      WEBHOOKS_ALLOW_PRIVATE: 'true',
      SHUTDOWN_TIMEOUT_MS: '2000',
      // Milliseconds that a machine which is busy with other things never takes.
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      DATABASE_STATEMENT_TIMEOUT_MS: '60000',
    };
  }

  setEndpoints(...endpoints: EndpointEntry[]): void {
    for (const endpoint of endpoints) {
      endpoint.secrets ??= [this.secret];
      endpoint.from ??= 'now';
    }
    this.write(JSON.stringify({ endpoints }));
  }

  write(text: string): void {
    writeFileSync(`${this.file}.new`, text);
    renameSync(`${this.file}.new`, this.file);
  }

  async start(env: Record<string, string> = {}): Promise<RunningApp & { api: Api }> {
    const app = await startApp({ ...this.env, ...env });
    this.running.push(app);
    return { ...app, api: api(app.url) };
  }

  async stopServices(): Promise<void> {
    await Promise.all(this.running.splice(0).map((app) => app.close()));
  }

  async close(): Promise<void> {
    await this.stopServices();
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
