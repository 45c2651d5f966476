/** Runs before `npm publish`, in the folder of a package. Fails until `package.json` names a repository. */
import { readFileSync } from 'node:fs';

const { name, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
// Half of the placeholder, so that replacing the whole placeholder everywhere does not change this line.
if (repository.url.includes('/OWNER/')) {
  process.stderr.write(`${name} names no repository yet: replace the placeholder as release.yml says.\n`);
  process.exitCode = 1;
}
