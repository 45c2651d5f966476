import 'reflect-metadata';
import { readConfig } from './config/config.js';
import { createApp, listen, logStart } from './create-app.js';
import { createLog } from './platform/observability/logger.js';
import { endOnUncaught, stopOnSignals } from './shutdown.js';
import { printError } from './platform/print.js';

/** Runs the service until a signal stops it. A start that fails prints one line on standard error and exits with 1. */
try {
  const config = readConfig(process.env);
  const log = await createLog(config.log);
  const app = await createApp(config, log);
  await app.init();
  await listen(app, config);
  endOnUncaught(log);
  stopOnSignals(app, config.shutdown, log);
  logStart(app, config, log);
} catch (error) {
  printError(`The booking service cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}
