import { type DynamicModule, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Database, type DatabaseSettings } from './database.js';

/**
 * Owns the connections to PostgreSQL. A module whose providers inject {@link Database} imports this one: Nest starts a
 * module after those that it imports and stops it before them, so the database is ready first and closed last.
 */
@Module({})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly registry: Registry,
  ) {}

  static forRoot(settings: DatabaseSettings): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: Database, useValue: new Database(settings) }],
      exports: [Database],
    };
  }

  /** @throws SchemaMismatch, DatabaseError if waiting cannot help */
  onModuleInit(): Promise<void> {
    measure(this.database, this.registry);
    return this.database.prepare();
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}

function measure(database: Database, registry: Registry): void {
  const watch = (name: string, help: string, read: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers: [], collect: () => gauge.set(read()) });
    registry.registerMetric(gauge);
  };
  watch('database_pool_connections', 'Open connections to the database', () => database.poolState.total);
  watch(
    'database_pool_idle_connections',
    'Open connections to the database that are idle',
    () => database.poolState.idle,
  );
  watch(
    'database_pool_max_connections',
    'Maximum number of open connections to the database',
    () => database.poolState.max,
  );
  watch('database_pool_waiting_statements', 'Statements waiting for a connection', () => database.poolState.waiting);
}
