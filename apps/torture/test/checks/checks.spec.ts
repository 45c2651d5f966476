import { checkResponses } from './check-responses.js';
import { checkDurability, checkSlotsNeverOverlap, slotsOfAcknowledged, slotsOfRows } from './check-bookings.js';
import { checkIdempotency, checkRejections } from './check-creates.js';
import { checkRecency, checkWalks } from './check-reads.js';
import { checkAll } from './check-all.js';
import {
  aCreate,
  aGet,
  aHistory,
  aList,
  aResponse,
  aRow,
  aWalk,
  bodyOf,
  slotTaken,
  type Recorded,
} from './hand-made.js';

const ROOM = 'room';

/** A little of everything that may happen, and nothing that may not. */
const GOOD: Recorded = {
  creates: [
    aCreate({ request: 'a', hours: [9, 10], key: 'k', time: [0, 5] }),
    aCreate({ request: 'a', hours: [9, 10], key: 'k', time: [6, 7], outcome: 'replayed' }),
    aCreate({ request: 'b', hours: [8, 12], time: [1, 6], outcome: 'slot-taken', body: slotTaken(9, 10) }),
    aCreate({ request: 'c', hours: [10, 11], key: 'k', time: [8, 9], outcome: 'key-reused' }),
    aCreate({ request: 'd', hours: [10, 11], time: [8, 9] }),
    aCreate({ request: 'e', hours: [11, 12], time: [8, Infinity], outcome: 'unknown' }),
    aCreate({ request: 'f', hours: [12, 13], time: [8, Infinity], outcome: 'unknown' }),
  ],
  gets: [aGet('a', { time: [10, 11] }), aGet('d', { time: [7, 8], response: aResponse(503) })],
  lists: [aList(['a', 'd'], { time: [10, 11] }), aList(['a'], { time: [6, 12] })],
  walks: [aWalk(['d', 'a'], { time: [10, 12] })],
};
const KEPT = [
  aRow({ request: 'a', hours: [9, 10], key: 'k' }),
  aRow({ request: 'd', hours: [10, 11] }),
  aRow({ request: 'e', hours: [11, 12] }),
];

it('A history in which all promises are kept has no violations', () => {
  expect(checkAll(aHistory(GOOD), KEPT)).toEqual([]);
});

describe('C1 catches overlapping slots', () => {
  it('that were acknowledged', () => {
    const history = aHistory({
      creates: [aCreate({ request: 'a', hours: [9, 12] }), aCreate({ request: 'b', hours: [11, 13] })],
    });
    expect(checkSlotsNeverOverlap(slotsOfAcknowledged(history))).toEqual([expect.stringMatching(/^C1: .*overlapping/)]);
  });

  it('that are kept, whatever lies between their starts', () => {
    const rows = [aRow({ request: 'a', hours: [9, 20] }), aRow({ request: 'b', hours: [19, 21] })];
    expect(checkSlotsNeverOverlap(slotsOfRows(rows))).toHaveLength(1);
  });
});

describe('C2 catches', () => {
  it('an acknowledged booking that is lost', () => {
    expect(checkDurability(aHistory(GOOD), KEPT.slice(1))).toEqual([expect.stringMatching(/acknowledged and is lost/)]);
  });

  it('one that reads back in other bytes', () => {
    const [first, ...others] = KEPT;
    const rows = [{ ...first!, json: first!.json.replace('{', '{ ') }, ...others];
    expect(checkDurability(aHistory(GOOD), rows)).toEqual([expect.stringMatching(/acknowledged as .*, kept as /)]);
  });

  it.each(['b', 'unknown'])('a row without a request, or of a rejected one: %s', (request) => {
    expect(checkDurability(aHistory(GOOD), [...KEPT, aRow({ request })])).toEqual([
      expect.stringMatching(/no request/),
    ]);
  });

  it('a request that is kept twice', () => {
    const again = { ...aRow({ request: 'e' }), bookingId: 'another' };
    expect(checkDurability(aHistory(GOOD), [...KEPT, again])).toEqual([expect.stringMatching(/kept 2 times/)]);
  });
});

describe('C3 catches a stale', () => {
  const creates = [aCreate({ request: 'a', hours: [9, 10], time: [0, 5] })];

  it('get', () => {
    const history = aHistory({ creates, gets: [aGet('a', { time: [6, 7], response: aResponse(404) })] });
    expect(checkRecency(history)).toHaveLength(1);
  });

  it('list, with and without a window', () => {
    const window = { from: '2026-12-01T09:30:00.000Z', to: '2026-12-01T12:00:00.000Z' };
    const later = { from: '2026-12-01T10:00:00.000Z', to: '2026-12-01T12:00:00.000Z' };
    const lists = [undefined, window, later].map((window) => aList([], { time: [6, 7], window }));
    expect(checkRecency(aHistory({ creates, lists }))).toHaveLength(2);
  });
});

describe('C4 catches a rejection', () => {
  const rejected = aCreate({
    request: 'b',
    hours: [9, 10],
    time: [0, 2],
    outcome: 'slot-taken',
    body: slotTaken(9, 10),
  });

  it('for a slot that had not been requested until then', () => {
    const history = aHistory({ creates: [rejected, aCreate({ request: 'a', hours: [9, 10], time: [3, 4] })] });
    expect(checkRejections(history)).toHaveLength(1);
  });

  it('for a slot of a create that was rejected itself', () => {
    expect(checkRejections(aHistory({ creates: [rejected, { ...rejected }] }))).toHaveLength(2);
  });

  it('that names another slot than the one held', () => {
    const history = aHistory({ creates: [rejected, aCreate({ request: 'a', hours: [8, 10], time: [0, 1] })] });
    expect(checkRejections(history)).toHaveLength(1);
  });
});

describe('C5 catches', () => {
  const first = aCreate({ request: 'a', key: 'k', time: [0, 1] });
  const later = { key: 'k', time: [2, 3] as [number, number] };

  it.each([
    ['a second booking for the key', aCreate({ request: 'a', ...later, body: bodyOf('another') })],
    ['a replay in other bytes', aCreate({ request: 'a', ...later, outcome: 'replayed', body: `${bodyOf('a')} ` })],
    ['a second response that is called new', aCreate({ request: 'a', ...later })],
    ['another payload that is booked', aCreate({ request: 'b', ...later, outcome: 'replayed' })],
    ['another payload that is rejected for its slot', aCreate({ request: 'b', ...later, outcome: 'slot-taken' })],
    ['a replay that is rejected', aCreate({ request: 'a', ...later, outcome: 'slot-taken' })],
  ])('%s', (_, second) => {
    expect(checkIdempotency(aHistory({ creates: [first, second] }), []).length).toBeGreaterThan(0);
  });

  it('a key that is rejected as reused, and is not', () => {
    const creates = [aCreate({ request: 'a', ...later, outcome: 'key-reused' })];
    expect(checkIdempotency(aHistory({ creates }), [])).toHaveLength(1);
  });

  it('two rows of one key', () => {
    const rows = [aRow({ request: 'a', key: 'k' }), aRow({ request: 'b', key: 'k' })];
    expect(checkIdempotency(aHistory({}), rows)).toHaveLength(1);
  });
});

describe('C6 catches a walk that', () => {
  const creates = [aCreate({ request: 'a', time: [0, 1] }), aCreate({ request: 'b', time: [0, 9] })];

  it('lacks what was acknowledged before it', () => {
    expect(checkWalks(aHistory({ creates, walks: [aWalk(['b'], { time: [5, 6] })] }))).toHaveLength(1);
  });

  it('shows a booking twice', () => {
    expect(checkWalks(aHistory({ creates, walks: [aWalk(['a', 'b', 'b'], { time: [5, 6] })] }))).toHaveLength(1);
  });
});

it.each([
  ['an internal error', aResponse(500)],
  ['a status that is not in the contract', aResponse(404)],
  [
    'an error that is no problem',
    { ...aResponse(503), headers: { ...aResponse(503).headers, 'content-type': 'text/html' } },
  ],
  ['a problem that says another status', { ...aResponse(503), body: aResponse(500).body }],
  [
    'a 503 without Retry-After',
    { ...aResponse(503), headers: { ...aResponse(503).headers, 'retry-after': undefined } },
  ],
  ['a response without X-Request-Id', { ...aResponse(200), headers: { 'content-type': 'application/json' } }],
])('C7 catches %s', (_, response) => {
  expect(
    checkResponses(aHistory({ lists: [{ ...aList([], { time: [0, 1] }), resourceId: ROOM, response }] })),
  ).toHaveLength(1);
});
