/**
 * To be imported before a program: when that ends, it says of which packages it has loaded anything, be it
 * files of theirs or what a bundler made of them, and whether it has loaded any of the latter.
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
  if (!path.includes('/dist/joined/')) return;
  for (const [, source] of readFileSync(path, 'utf8').matchAll(/^\/\/ (\S+\/node_modules\/\S+)$/gm)) files.add(source);
});
session.post('Debugger.enable');

process.on('exit', () => {
  const loaded = new Set(
    [...files].flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  const isJoined = [...files].some((file) => file.includes('/dist/joined/'));
  process.stdout.write(`${JSON.stringify({ level: 'test', msg: 'loaded', loaded: [...loaded], isJoined })}\n`);
});
