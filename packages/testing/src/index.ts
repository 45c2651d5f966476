export { freePort } from './free-port.js';
export { LocalPostgres } from './local-postgres.js';
export { PgBouncer } from './pgbouncer.js';
export { aSecret, type Received, Receiver, respond } from './receiver.js';
export { failToStart, type LogLine, programOf, ServiceProcess } from './service-process.js';
export { sqlOf } from './sql-of.js';
export { type Cut, TcpProxy } from './tcp-proxy.js';
export { createTestDatabase, dropTestDatabase, type TestDatabase } from './test-database.js';
export { untilClosed } from './until-closed.js';
