import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase } from 'testing';
import { uuidv7 } from 'uuidv7';
import { Database } from '../../src/database/database.js';
import { DELIVERY_TIMES, type DeliveryTimes } from '../../src/events/attempt.js';
import type { SavedProgress } from '../../src/events/endpoint-progress.js';
import { EndpointWorker } from '../../src/events/endpoint-worker.js';
import { EventMetrics } from '../../src/events/event-metrics.js';
import { EventStore } from '../../src/events/event-store.js';
import { openDatabase } from '../support/open-database.js';

/** Remembers what was saved. */
class RecordingStore extends EventStore {
  readonly saved: SavedProgress[] = [];

  override save(endpoint: string, owner: string, progress: SavedProgress, isKept: boolean): Promise<boolean> {
    this.saved.push(progress);
    return super.save(endpoint, owner, progress, isKept);
  }
}

/** A database with one endpoint, and workers that deliver to it. */
export class WorkerFixture {
  readonly store: RecordingStore;
  readonly endpoint = { name: 'billing', url: '', secrets: [Buffer.alloc(32)], from: 'first' as const, prefix: '' };
  private readonly workers: EndpointWorker[] = [];

  private constructor(
    readonly testDatabase: TestDatabase,
    private readonly database: Database,
  ) {
    this.store = new RecordingStore(database);
  }

  /** @param url of the endpoint */
  static async create(url: string): Promise<WorkerFixture> {
    Logger.overrideLogger(false);
    const testDatabase = await createTestDatabase();
    const database = await openDatabase(testDatabase.url);
    const fixture = new WorkerFixture(testDatabase, database);
    fixture.endpoint.url = url;
    await fixture.store.switchOn();
    await fixture.store.register(fixture.endpoint);
    return fixture;
  }

  /** A worker as another process has it, with short pauses. @param timeout milliseconds for a response */
  worker(times: Partial<DeliveryTimes> = {}, timeout = 10_000): EndpointWorker {
    const { store, endpoint } = this;
    const settings = { source: '/v1/bookings', allowPrivate: true, timeout };
    const short = { ...DELIVERY_TIMES, firstPause: 20, longestPause: 40, rejectionPauses: [10, 20], ...times };
    const worker = new EndpointWorker(endpoint, store, new EventMetrics(store, new Registry()), settings, short);
    this.workers.push(worker);
    return worker;
  }

  /** Makes a booking and gives it its sequence. */
  async book(n: number, resourceId = 'room'): Promise<void> {
    await this.testDatabase.query(
      'INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json) VALUES ($1, $2, $3, $4, $5)',
      [uuidv7(), resourceId, n, n + 1, `{"n":${n}}`],
    );
    await this.store.assignSequences();
  }

  /** Makes bookings with the sequences from 1 on. */
  async bookMany(count: number, resourceOf: (sequence: number) => string | null): Promise<void> {
    const resources = Array.from({ length: count }, (_, index) => resourceOf(index + 1));
    await this.testDatabase.query(
      `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
        SELECT (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, resource,
          CASE WHEN resource IS NOT NULL THEN n END, CASE WHEN resource IS NOT NULL THEN n + 1 END,
          json_strip_nulls(json_build_object('n', n,
            'slot', CASE WHEN resource IS NOT NULL THEN json_build_object('resource_id', resource) END))
        FROM unnest($1::text[]) WITH ORDINALITY AS made (resource, n)`,
      [resources],
    );
    while (await this.store.assignSequences());
  }

  /** Has the lease expire, as if the process that holds it had crashed. */
  async expireLease(): Promise<void> {
    await this.testDatabase.query('UPDATE webhook_endpoints SET leased_until = now()');
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close(0)));
    await this.database.close();
    await this.testDatabase.drop();
  }
}
