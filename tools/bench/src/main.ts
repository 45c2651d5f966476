import { mkdirSync, writeFileSync } from 'node:fs';
import { compare } from './comparison.js';
import { contenders } from './contenders.js';
import { BenchDatabase } from './database.js';
import { readEnvironment } from './environment.js';
import { measureGrowth } from './growth.js';
import { limitsOf } from './limits.js';
import { LoadGenerator } from './load.js';
import { say } from './progress.js';
import { costsToMarkdown, type Report, toMarkdown } from './report.js';
import { isQuick } from './sizes.js';
import { measureThroughput } from './throughput.js';

const RESULTS = new URL('../results/', import.meta.url);

if (process.platform !== 'linux') {
  process.stderr.write('The bench reads CPU times from /proc, which only Linux has.\n');
  process.exit(1);
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !contenders.some((contender) => contender.name === name));
if (unknown.length > 0) throw new TypeError(`there is no contender ${unknown.join(', ')}`);
const selected = contenders.filter(({ name }) => names.includes(name));

const database = await BenchDatabase.start();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void database.stop().finally(() => process.exit(1)));
}
const load = new LoadGenerator({ pinned: true });
try {
  if (selected.length > 0) process.stdout.write(costsToMarkdown(await compare(selected, load, database)));
  else await measureAll();
} finally {
  load.stop();
  await database.stop();
}

async function measureAll(): Promise<void> {
  const environment = await readEnvironment(database);
  say('part one of three: the contenders');
  const comparison = await compare(contenders, load, database);
  say('part two: growth');
  const growth = await measureGrowth(load, database);
  say('part three: creates per second on PostgreSQL');
  const throughput = await measureThroughput(database);
  const results = { comparison, growth, throughput };
  write({ environment, ...results, limits: limitsOf(results) });
}

function write(report: Report): void {
  const markdown = toMarkdown(report);
  // A quick run never takes the place of a real one.
  const name = isQuick ? 'quick' : 'latest';
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(new URL(`${name}.md`, RESULTS), markdown);
  process.stdout.write(markdown);
}
