import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Pact adds to existing files, which would keep interactions that were deleted. */
export default function startAfresh() {
  process.env.PACT_DO_NOT_TRACK = 'true';
  rmSync(fileURLToPath(new URL('../pacts', import.meta.url)), { recursive: true, force: true });
}
