import fc from 'fast-check';
import { Axis } from '../src/axis.js';
import { workingHours } from '../src/hours.js';
import { spanOf } from '../src/span.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const spans = fc
  .record({
    date: fc
      .integer({ min: 0, max: 3_000 })
      .map((day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)),
    span: fc.constantFrom('day' as const, 'week' as const),
    zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'),
    firstDay: fc.integer({ min: 1, max: 7 }),
  })
  .map(({ firstDay, ...view }) => spanOf(view, 0, firstDay));
const hours = fc
  .tuple(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 12, max: 24 }))
  .map(([from, to]) => ({ from, to }));
const RUNS = { numRuns: 40 };
const rooms = fc.integer({ min: 200, max: 4_000 });

describe('An axis', () => {
  it('has every instant once, and in order, whatever is folded', () => {
    fc.assert(
      fc.property(spans, rooms, hours, fc.double({ min: 0, max: 1, noNaN: true }), (span, room, open, share) => {
        const axis = new Axis(span, room, open);
        expect(axis.parts[0]!.start).toBe(span.start);
        expect(axis.parts.at(-1)!.end).toBe(span.end);
        expect(Math.min(...axis.parts.map(({ width }) => width))).toBeGreaterThan(0);
        expect(axis.parts.slice(1).map(({ start }) => start)).toEqual(axis.parts.slice(0, -1).map(({ end }) => end));
        expect(axis.x(span.start)).toBe(0);
        expect(axis.x(span.end)).toBeCloseTo(axis.width, 6);
        const at = span.start + share * (span.end - span.start - 1);
        expect(axis.instant(axis.x(at))).toBeCloseTo(at, -2);
        expect(axis.x(at + MINUTE)).toBeGreaterThanOrEqual(axis.x(at));
      }),
      RUNS,
    );
  });

  it('folds no time in which a booking starts or ends, and only whole nights', () => {
    const starts = fc.array(fc.tuple(fc.integer({ min: -200, max: 800 }), fc.integer({ min: 1, max: 100 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(spans, rooms, starts, (span, room, quarters) => {
        const slots = quarters.map(([quarter, length]) => {
          const start = span.start + quarter * 15 * MINUTE;
          return { start, end: start + length * 15 * MINUTE };
        });
        const axis = new Axis(span, room, workingHours(slots, span, span.start - HOUR));
        const edges = slots.flatMap(({ start, end }) => [start, end - 1]);
        const within = edges.filter((at) => at >= span.start && at < span.end);
        expect(within.filter((at) => axis.isFolded(at))).toEqual([]);
        const folded = axis.parts.filter(({ isFolded }) => isFolded);
        expect(folded.filter(({ start, end }) => end - start < HOUR)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('has wider hours where nights are folded', () => {
    const span = spanOf({ date: '2026-12-01', span: 'day', zone: 'Europe/Berlin' }, 0);
    expect(new Axis(span, 1_096, { from: 8, to: 18 }).hour).toBeGreaterThan(1.7 * new Axis(span, 1_096).hour);
  });
});

describe('A week', () => {
  it.each([
    [1, '2026-11-30'],
    [6, '2026-11-28'],
    [7, '2026-11-29'],
  ])('that begins on day %d has the days from %s on', (firstDay, first) => {
    const { days } = spanOf({ date: '2026-12-01', span: 'week', zone: 'Europe/Berlin' }, 0, firstDay);
    expect(days.map(({ date }) => date).slice(0, 1)).toEqual([first]);
    expect(days).toHaveLength(7);
  });
});
