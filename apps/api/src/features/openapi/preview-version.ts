import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('@booking-service/contracts/package.json') as { version: string };

/** The version of the interface. */
export const PREVIEW_VERSION = manifest.version;
