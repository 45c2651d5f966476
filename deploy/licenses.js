/**
 * Writes `docs/licenses.md`: every package that the service, the contracts and the client bring along when they run, by
 * `pnpm licenses:write`. Ends with 1 when one of them has a licence that is not allowed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LICENSES_FILE, licensesDocument, notAllowed, runtimePackages } from './runtime-licenses.js';

const packages = runtimePackages();
writeFileSync(join(import.meta.dirname, '..', LICENSES_FILE), licensesDocument(packages));
const forbidden = notAllowed(packages);
for (const { name, version, license } of forbidden) {
  process.stderr.write(
    `${name} ${version} has the licence ${license}, which deploy/runtime-licenses.js does not allow.\n`,
  );
}
process.exit(forbidden.length === 0 ? 0 : 1);
