import { resourceIdSchema, slotSchema, validate } from '../src/index.js';
import { errorsOf } from './faults.js';

const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };

const faults = (value: unknown) => errorsOf(slotSchema, value);
const accepts = (text: unknown) => resourceIdSchema.safeParse(text).success;

describe('a resource id', () => {
  it.each(['a', ' ', ' Room ', '"quoted"', '会議室', 'e\u0301', '\u00e9', '\u200b', '\ufffd', '\u00a0'])(
    'may be %j, and is kept as it is: not trimmed, folded or normalised',
    (text) => {
      expect(resourceIdSchema.parse(text)).toBe(text);
    },
  );

  it.each([
    ['of the basic plane', 'é'],
    ['beyond it, which are two UTF-16 units each', '🎾'],
  ])('has at most 200 code points %s', (_, character) => {
    expect(accepts(character.repeat(200))).toBe(true);
    expect(accepts(character.repeat(201))).toBe(false);
  });

  it('has none of the 65 control characters, wherever it stands', () => {
    const controls = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).filter(
      (character) => character < ' ' || (character >= '\u007f' && character <= '\u009f'),
    );
    expect(controls).toHaveLength(65);
    const texts = controls.flatMap((control) => [`${control}room`, `ro${control}om`, `room${control}`]);
    expect(texts.filter(accepts)).toEqual([]);
  });

  it.each<unknown>(['', '\ud800', '\udc00', 'a\ud83c', '\udfbe\ud83c', 7, null, ['room-7'], {}, undefined])(
    'is not %j',
    (value) => {
      expect(accepts(value)).toBe(false);
    },
  );
});

describe('a slot', () => {
  it.each([
    ['an hour long', slot],
    ['a millisecond long', { ...slot, end: '2026-12-01T09:00:00.001Z' }],
    [
      'a millisecond long over offsets',
      { ...slot, start: '2026-12-01T18:00:00+09:00', end: '2026-12-01T09:00:00.001Z' },
    ],
  ])('may be %s', (_, value) => {
    expect(validate(slotSchema, value)).toEqual({ value });
  });

  it.each(['resource_id', 'start', 'end'] as const)('needs its %s, a string', (name) => {
    const { [name]: _, ...rest } = slot;
    expect(faults(rest)).toEqual([{ pointer: `#/${name}`, detail: 'is required' }]);
    expect(faults({ ...rest, [name]: null })).toEqual([{ pointer: `#/${name}`, detail: 'is not a string' }]);
  });

  it('is closed: every member too many is a fault of its own', () => {
    expect(faults({ ...slot, note: 1, 'a/b': 2 })).toEqual([
      { pointer: '#/note', detail: 'is not a member of a slot' },
      { pointer: '#/a~1b', detail: 'is not a member of a slot' },
    ]);
  });

  it.each([[null], ['room-7'], [7], [[slot]], [true]])('is an object and not %j', (value) => {
    expect(faults(value)).toEqual([{ pointer: '#', detail: 'is not an object' }]);
  });

  it('names every member that is at fault', () => {
    const pointers = faults({ resource_id: '', start: 'today', end: 7 }).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['#/resource_id', '#/end', '#/start']);
  });

  it.each([
    ['before its start', '2026-12-01T08:00:00Z'],
    ['at its start', '2026-12-01T09:00:00.000Z'],
    ['before its start once offsets are counted', '2026-12-01T10:00:00+02:00'],
    ['at its start in another notation', '2026-12-01T18:00:00+09:00'],
  ])('does not end %s', (_, end) => {
    expect(faults({ ...slot, end })).toEqual([{ pointer: '#/end', detail: 'is not after start' }]);
  });
});
