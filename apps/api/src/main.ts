/** Runs the service until a signal stops it. A failed start prints one line on standard error and exits with code 1. */

// Lets a signal end the start, which may wait for another replica's migration: the first process of a container ignores
// signals for which it has no listener.
const exitDuringStart = (): never => process.exit(0);
process.once('SIGINT', exitDuringStart).once('SIGTERM', exitDuringStart);

const { readConfig } = await import('./config/config.js');
const { createLog } = await import('./platform/observability/logger.js');
const { printError } = await import('./platform/print.js');
try {
  const config = readConfig(process.env);
  const log = await createLog(config.log);
  const { createApp, listen } = await import('./create-app.js');
  const { logStart } = await import('./log-start.js');
  const { endOnUncaught, stopOnSignals } = await import('./shutdown.js');
  const app = await createApp(config, log);
  await app.init();
  await listen(app, config);
  endOnUncaught(log);
  process.off('SIGINT', exitDuringStart).off('SIGTERM', exitDuringStart);
  stopOnSignals(app, config.shutdown, log);
  logStart(app, config, log);
} catch (error) {
  printError(`The booking service cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}
