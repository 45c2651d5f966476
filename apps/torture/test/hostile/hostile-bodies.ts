import type { Random } from '../random.js';

/** A body of a create that breaks one rule. */
export interface HostileBody {
  readonly what: string;
  readonly body: string | Buffer;
  readonly status: 400 | 413 | 422;
}

type Maker = (random: Random) => Omit<HostileBody, 'what'>;

const rejected = (status: HostileBody['status'], body: string | Buffer) => ({ status, body });

/** The text `json` as a member somewhere within objects and arrays, fewer than the rules allow. */
function within(random: Random, json: string): string {
  let text = json;
  for (let level = random.below(20); level > 0; level--) {
    text = random.chance(0.5) ? `[1,${text},null]` : `{"${'k'.repeat(random.below(4))}":${text}}`;
  }
  return `{"before":true,"m":${text},"after":"x"}`;
}

const GOOD =
  '{"slot":{"resource_id":"r","start":"2026-12-01T09:00:00Z","end":"2026-12-01T10:00:00Z"},"a":[1,{"b":"é"}]}';

const slotWith = (members: string): string =>
  `{"slot":{"resource_id":"r","start":"2026-12-01T09:00:00Z","end":"2026-12-01T10:00:00Z",${members}}}`;

const NUMBERS = ['1e400', '-1e999', '9007199254740992', '-9007199254740993', '123456789012345678901234567890'];
const BAD_UTF8 = ['80', 'c080', 'c1bf', 'eda080', 'edbfbf', 'f08080af', 'f4908080', 'f5808080', 'ff', 'e282', 'f09f'];
const CODES = ['\\u0000', '\\ud800', '\\udfff', '\\udc00\\ud800', '\\uD83Dx'];
const NO_OBJECTS = ['null', 'true', '0', '-1.5e3', '""', '"text"', '[]', '[{}]', '[[[]]]'];
const NO_JSON = ['{', '{"a"', "{'a':1}", '{a:1}', '{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":1.}', '{"a":NaN}'].concat(
  ['{"a":Infinity}', '{"a":1,}', '{,}', '{"a":1}}', '{} {}', '{}//', '/**/{}', '{"a":"\t"}', '{"a":"\\x41"}'],
  ['{"a":"\\u12"}', '{"a":0x10}', '{"a":undefined}', '{"a":1n}', '{"a":1_000}', '\u00a0{}', '{}\0', '\0', '{"a":tru}'],
);
const BAD_SLOTS = ['null', '[]', '"r"', '0', '{}', '{"resource_id":"r"}'];
const BAD_MEMBERS = ['"resource_id":7', '"resource_id":""', '"resource_id":"a\\nb"', '"start":0', '"end":null'].concat(
  ['"start":"2026-12-01T10:00:00Z"', '"end":"2026-12-01T08:59:59.999Z"', '"start":"2026-02-30T09:00:00Z"'],
  ['"start":"2026-12-01"', '"start":"2026-12-01T09:00:60Z"', '"end":"2026-12-01T24:00:00Z"', '"extra":1'],
  ['"end":"+012026-12-01T10:00:00Z"', '"end":"2026-12-01T10:00:00.0001Z"', '"constructor":{}', '"toString":1'],
);

const makers: Record<string, Maker> = {
  'deep nesting': (random) => {
    const levels = 33 + random.below(random.chance(0.3) ? 7_000 : 60);
    const [open, inner, close] = random.pick([
      ['[', '', ']'],
      ['{"a":', '1', '}'],
      ['[{"":', '[]', '}]'],
    ] as const);
    return rejected(422, `{"m":${open.repeat(levels)}${inner}${close.repeat(levels)}}`);
  },
  'a huge number': (random) => {
    const digits = () => `${1 + random.below(9)}${'0'.repeat(20 + random.below(2_000))}`;
    return rejected(422, within(random, random.chance(0.3) ? digits() : random.pick(NUMBERS)));
  },
  __proto__: (random) => {
    const name = random.pick(['__proto__', '\\u005f_proto__', '__pr\\u006fto__', '\\u005F\\u005Fproto\\u005f_']);
    return rejected(422, within(random, `{"${name}":${random.pick(['{"polluted":true}', 'null', '[]', '1'])}}`));
  },
  'NUL or half a character': (random) => {
    const code = random.pick(CODES);
    return rejected(422, within(random, random.chance(0.5) ? `"a${code}b"` : `{"a${code}":1}`));
  },
  'bad UTF-8': (random) => {
    const [before, after] = within(random, '"|"').split('|') as [string, string];
    return rejected(
      400,
      Buffer.concat([Buffer.from(before), Buffer.from(random.pick(BAD_UTF8), 'hex'), Buffer.from(after)]),
    );
  },
  "a name that is the service's": (random) => {
    const near = random
      .pick(['bookingid', 'createdat'])
      .split('')
      .map((letter) => (random.chance(0.3) ? letter.toUpperCase() : letter));
    near.splice(1 + random.below(7), 0, random.pick(['_', '-', ' ', '.', '\\u200b', '']));
    return rejected(422, `{"a":1,"${near.join('')}":"x"}`);
  },
  'no object': (random) => rejected(422, random.pick(NO_OBJECTS)),
  'no JSON': (random) => rejected(400, random.pick(NO_JSON)),
  'JSON that breaks off': (random) => {
    const bytes = Buffer.from(GOOD);
    return rejected(400, bytes.subarray(0, 1 + random.below(bytes.length - 1)));
  },
  'no slot': (random) => rejected(422, `{"slot":${random.pick(BAD_SLOTS)}}`),
  'a bad slot': (random) => rejected(422, slotWith(random.pick(BAD_MEMBERS))),
  'a long resource': (random) => rejected(422, slotWith(`"resource_id":"${'r'.repeat(201 + random.below(60_000))}"`)),
  'many faults': (random) => {
    const names = Array.from({ length: 21 + random.below(3_000) }, (_, index) => `"n${index}":1e999`);
    return rejected(422, `{${names.join(',')}}`);
  },
  'too many bytes': (random) => rejected(413, `{"a":"${'x'.repeat(65_536 + random.below(200_000))}"}`),
};

/** Bodies, each of which breaks a rule and is rejected with a status that the rule has. */
export function* hostileBodies(random: Random, count: number): Generator<HostileBody> {
  const named = Object.entries(makers);
  for (let index = 0; index < count; index++) {
    const [what, make] = named[index % named.length]!;
    yield { what, ...make(random) };
  }
}
