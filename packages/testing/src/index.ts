export { freePort } from './free-port.js';
export { LocalPostgres } from './local-postgres.js';
export { failToStart, type LogLine, ServiceProcess } from './service-process.js';
export { untilClosed } from './until-closed.js';
