import { rmSync } from 'node:fs';

export default async function removeConsumer() {
  await globalThis.service?.stop();
  rmSync(process.env.CONSUMER, { recursive: true, force: true });
}
