import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { PATIENT } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { createApp } from '../../src/create-app.js';
import { logTo } from '../../src/platform/observability/logger.js';

export interface RunningApp {
  readonly app: NestExpressApplication;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly logged: readonly string[];
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** Starts the application, in memory unless `env` names a database. @param prepare is called before its initialization */
export async function startApp(
  env: Record<string, string> = {},
  prepare: (app: NestExpressApplication) => void = () => {},
): Promise<RunningApp> {
  const config = readConfig({ ...PATIENT, ...env });
  const logged: string[] = [];
  const app = await createApp(config, logTo({ write: (line) => void logged.push(line) }, config.log.level));
  prepare(app);
  await app.init();
  const server: Server = app.getHttpServer().listen(0, config.host);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    app,
    url,
    logged,
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    close: () => app.close(),
  };
}
