import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readConfig } from '../../src/config.js';
import { createApp } from '../../src/create-app.js';

export interface RunningApp {
  readonly app: NestExpressApplication;
  /** `http://127.0.0.1:PORT`, what supertest's `request(url)` takes. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the real application, built by the one `createApp`, on a free port of the loopback address. */
export async function startApp(env: Record<string, string> = {}): Promise<RunningApp> {
  const config = readConfig({ PORT: '0', ...env });
  const app = await createApp(config);
  await app.listen(config.port, config.host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}`, close: () => app.close() };
}
