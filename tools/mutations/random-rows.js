import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from './tree.js';

const SOURCES = ['apps/api/src', 'packages/contracts/src'];

/** What is replaced, and by what. */
const OPERATORS = [
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ < /, ' <= '],
  [/ > /, ' >= '],
  [/ <= /, ' < '],
  [/ >= /, ' > '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ \?\? .*?(?=[;,)])/, ''],
  [/ \+ /, ' - '],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/(?<![\w'"`.$-])(\d[\d_]*)(?![\w'"`.])/, (number) => String(Number(number.replaceAll('_', '')) + 1)],
  [/\bif \((?!!)(.*)\) (?=return|throw)/, (_, condition) => `if (!(${condition})) `],
];
/** A line that can be left out: a call or an assignment, or a condition with all that it does. */
const STATEMENT = /^(?:await |void )?(?:[\w.#!]+\(.*\)|[\w.#!]+ [+-]?= .*);$|^if \(.*\) (?:return|throw|[\w.]+\().*;$/;

/** Every mutation that can be drawn, in an order that the seed decides. */
export function randomRows(seed) {
  const rows = SOURCES.flatMap(filesOf).flatMap(rowsOf);
  const random = generator(seed);
  return rows
    .map((row) => ({ row, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ row }) => row);
}

function filesOf(folder) {
  const names = readdirSync(join(root, folder), { recursive: true }).toSorted();
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
}

function rowsOf(file) {
  const text = textOf(file);
  return text.split('\n').flatMap((line, index) => {
    const code = line.trim();
    const isCode = code !== '' && !/^(?:\/[/*]|\*|import |export \* |export type|export interface)/.test(code);
    if (!isCode || text.split(line).length !== 2) return [];
    const changed = OPERATORS.filter(([pattern]) => pattern.test(code)).map(([pattern, by]) =>
      code.replace(pattern, by),
    );
    if (STATEMENT.test(code)) changed.push('');
    return changed.map((by, place) => [`${file}:${index + 1}/${place}`, file, line, line.replace(code, () => by)]);
  });
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
