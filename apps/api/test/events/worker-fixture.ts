import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase, until } from 'testing';
import { uuidv7 } from 'uuidv7';
import { Database } from '../../src/platform/database/database.js';
import { type EndpointState, DeliveryStore } from '../../src/features/events/delivery-store.js';
import { EndpointWorker } from '../../src/features/events/endpoint-worker.js';
import { EventMetrics } from '../../src/features/events/event-metrics.js';
import { openDatabase } from '../support/open-database.js';

/** A database with one endpoint, and workers that deliver to it. */
export class WorkerFixture {
  readonly endpoint = { name: 'billing', url: '', secrets: [Buffer.alloc(32)], from: 'now' as const, prefix: '' };
  readonly errors: string[] = [];
  private readonly workers: EndpointWorker[] = [];

  private constructor(
    readonly testDatabase: TestDatabase,
    private readonly database: Database,
    readonly store = new DeliveryStore(database),
  ) {}

  static async create(url: string): Promise<WorkerFixture> {
    const testDatabase = await createTestDatabase();
    const fixture = new WorkerFixture(testDatabase, await openDatabase(testDatabase.url));
    fixture.endpoint.url = url;
    const error = (message: unknown) => fixture.errors.push(String(message));
    Logger.overrideLogger({ error, warn: () => {}, log: () => {} });
    await fixture.store.register([fixture.endpoint]);
    return fixture;
  }

  /** A worker as another process has it. */
  worker(): EndpointWorker {
    const { store, endpoint } = this;
    const settings = { source: '/v1/bookings', allowPrivate: true, timeout: 10_000 };
    const worker = new EndpointWorker(endpoint, store, new EventMetrics(store, new Registry()), settings);
    this.workers.push(worker);
    return worker;
  }

  /** Makes bookings with `n` from 0 on. */
  async book(count: number): Promise<void> {
    for (let n = 0; n < count; n++)
      await this.testDatabase.query('INSERT INTO bookings (booking_id, json) VALUES ($1, $2)', [
        uuidv7(),
        `{"n":${n}}`,
      ]);
  }

  async state(): Promise<EndpointState> {
    return (await this.store.states())[0]!;
  }

  async lookUntil(worker: EndpointWorker, condition: () => boolean | Promise<boolean>): Promise<void> {
    await until(() => {
      worker.look();
      return condition();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close(0)));
    await this.database.close();
    await this.testDatabase.drop();
  }
}
