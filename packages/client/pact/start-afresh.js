import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Pact adds to the files it finds: an interaction that no suite has any more would stay for ever. */
export default function startAfresh() {
  process.env.PACT_DO_NOT_TRACK = 'true';
  rmSync(fileURLToPath(new URL('../pacts', import.meta.url)), { recursive: true, force: true });
}
