import { renameSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { aSecret, createTestDatabase, Receiver, temporaryFolder, type TestDatabase, until } from 'testing';
import { type Api, api } from '../support/api.js';
import { create } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

export interface EndpointEntry {
  name: string;
  url: string;
  secrets?: string[];
  resource_id_prefix?: string;
}

/** Services with a database and a file of endpoints, and two receivers. */
export class EventsFixture {
  database!: TestDatabase;
  receiver!: Receiver;
  other!: Receiver;
  readonly secret = aSecret();
  private folder!: string;
  private readonly running: RunningApp[] = [];

  async open(): Promise<void> {
    this.folder = temporaryFolder();
    this.database = await createTestDatabase();
    [this.receiver, this.other] = await Promise.all([Receiver.start(), Receiver.start()]);
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
      // Milliseconds that only a hang takes.
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      DATABASE_STATEMENT_TIMEOUT_MS: '60000',
    };
  }

  setEndpoints(...endpoints: EndpointEntry[]): void {
    for (const endpoint of endpoints) endpoint.secrets ??= [this.secret];
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

  /** Starts a service with three deliveries in flight, whose responses are held back. */
  async startInFlight() {
    this.setEndpoints({ name: 'billing', url: this.receiver.url });
    const held: ServerResponse[] = [];
    this.receiver.behaviour = (_, response) => held.push(response);
    const service = await this.start();
    for (let n = 0; n < 3; n++) await create(service.api, { n });
    await until(() => held.length === 3);
    return { service, held };
  }

  async stopServices(): Promise<void> {
    await Promise.all(this.running.splice(0).map((app) => app.close()));
  }

  async close(): Promise<void> {
    await this.stopServices();
    await Promise.all([this.database.drop(), this.receiver.close(), this.other.close()]);
  }
}

/** Opens a fixture before all tests of a file, or before each, and closes it after them. */
export function useEvents(scope: 'all' | 'each'): EventsFixture {
  const fixture = new EventsFixture();
  const before = scope === 'all' ? beforeAll : beforeEach;
  const after = scope === 'all' ? afterAll : afterEach;
  before(() => fixture.open());
  after(() => fixture.close());
  return fixture;
}
