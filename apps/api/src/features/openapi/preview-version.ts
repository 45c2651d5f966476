import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('@booking-service/contracts/package.json') as { version: string };

/** The label of the preview: the version of the contracts package. */
export const PREVIEW_VERSION = manifest.version;
