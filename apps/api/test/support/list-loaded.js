/**
 * To be imported before a program: when that ends, it prints of which packages it has loaded anything, be it
 * files of theirs or their parts of the bundle.
 */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';

const files = new Set();
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  if (!url.startsWith('file:')) return;
  const path = fileURLToPath(url);
  files.add(path);
  if (!path.includes('/api/dist/')) return;
  for (const [, source] of readFileSync(path, 'utf8').matchAll(/^\/\/ (\S+\/node_modules\/\S+)$/gm)) files.add(source);
});
session.post('Debugger.enable');

process.on('exit', () => {
  const loaded = new Set(
    [...files].flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  process.stdout.write(`${JSON.stringify({ level: 'test', msg: 'loaded', loaded: [...loaded] })}\n`);
});
