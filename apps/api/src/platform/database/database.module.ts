import { type DynamicModule, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '../observability/metrics.js';
import { Database, type DatabaseSettings } from './database.js';

/** The gauges of {@link Database.poolState}. */
const GAUGES = [
  ['total', 'database_pool_connections', 'Open connections to the database'],
  ['idle', 'database_pool_idle_connections', 'Open connections to the database that are idle'],
  ['max', 'database_pool_max_connections', 'Maximum number of open connections to the database'],
  ['waiting', 'database_pool_waiting_statements', 'Statements waiting for a connection'],
] as const;

/** Global, so that Nest prepares the database before the modules that use it, and closes it after them. */
@Module({})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  static forRoot(settings: DatabaseSettings): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: Database, useFactory: () => new Database(settings) }],
      exports: [Database],
    };
  }

  onModuleInit(): Promise<void> {
    const { database, metrics } = this;
    for (const [state, name, help] of GAUGES) metrics.watch(name, help, () => database.poolState[state]);
    return database.prepare();
  }

  onApplicationShutdown(): void {
    this.database.close();
  }
}
