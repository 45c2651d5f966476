import { instantSchema, resourceIdSchema, slotSchema, validate } from '../src/index.js';

const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };

const faults = (value: unknown) => {
  const result = validate(slotSchema, value);
  return 'faults' in result ? result.faults : [];
};
const pointers = (value: unknown) => faults(value).map(({ pointer }) => pointer);

const accepts = (text: unknown) => resourceIdSchema.safeParse(text).success;

describe('a resource id', () => {
  it.each(['a', ' ', 'room 7/b', '"quoted"', '会議室', 'e\u0301', '\u200b', '\ufffd', '\u00a0'])(
    'may be %j',
    (text) => {
      expect(accepts(text)).toBe(true);
    },
  );

  it('has at least one character', () => {
    expect(accepts('')).toBe(false);
  });

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
    for (const control of controls) {
      for (const text of [control, `${control}room`, `ro${control}om`, `room${control}`]) {
        expect([text, accepts(text)]).toEqual([text, false]);
      }
    }
  });

  it.each(['\ud800', '\udc00', 'a\ud83c', '\udfbe\ud83c'])('has no lone surrogate: %j', (text) => {
    expect(accepts(text)).toBe(false);
  });

  it.each([[7], [null], [true], [['room-7']], [{}], [undefined]])('is a string and not %j', (value) => {
    expect(accepts(value)).toBe(false);
  });

  it('is kept as it is: no trimming, no case folding, no normalisation', () => {
    for (const text of [' Room ', 'ROOM', 'e\u0301', '\u00e9']) expect(resourceIdSchema.parse(text)).toBe(text);
  });
});

describe('a slot', () => {
  it('is one resource for one window of time', () => {
    expect(validate(slotSchema, slot)).toEqual({ value: slot });
  });

  it.each(['resource_id', 'start', 'end'] as const)('needs its %s', (name) => {
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
    expect(pointers({ resource_id: '', start: 'today', end: 7 })).toEqual(['#/resource_id', '#/end', '#/start']);
  });

  it.each([
    ['before its start', { end: '2026-12-01T08:00:00Z' }],
    ['at its start', { end: '2026-12-01T09:00:00.000Z' }],
    ['before its start once offsets are counted', { end: '2026-12-01T10:00:00+02:00' }],
    ['at its start in another notation', { end: '2026-12-01T18:00:00+09:00' }],
  ])('does not end %s', (_, change) => {
    expect(faults({ ...slot, ...change })).toEqual([{ pointer: '#/end', detail: 'is not after start' }]);
  });

  it('may look as if it ended before its start, as long as it does not', () => {
    expect(faults({ ...slot, start: '2026-12-01T18:00:00+09:00', end: '2026-12-01T09:00:00.001Z' })).toEqual([]);
  });

  it('may be a millisecond or ten thousand years long', () => {
    expect(faults({ ...slot, end: '2026-12-01T09:00:00.001Z' })).toEqual([]);
    expect(faults({ ...slot, start: '0001-01-01T00:00:00Z', end: '9999-12-31T23:59:59.999Z' })).toEqual([]);
  });

  it('has instants that are strings, of the syntax of an instant', () => {
    expect(instantSchema.safeParse(1_796_115_600_000).success).toBe(false);
    expect(instantSchema.safeParse('2026-02-30T09:00:00Z').success).toBe(false);
    expect(instantSchema.safeParse('2026-02-28T09:00:00Z').success).toBe(true);
  });
});
