import { budgetOf, costOf, MemoryBudget } from '../../src/bookings/in-memory/memory-budget.js';
import { aBooking } from './arbitrary-bookings.js';

const MIB = 2 ** 20;

describe('The memory budget', () => {
  it.each([
    [112 * MIB, 8 * MIB, 14 * MIB],
    [304 * MIB, 120 * MIB, 160 * MIB],
    [4_144 * MIB, 2_500 * MIB, 2_900 * MIB],
    // A heap without room for the service itself still takes a few bookings.
    [50 * MIB, 1 * MIB, 2 * MIB],
  ])('leaves room for the service in a heap limit of %i bytes', (heapLimit, least, most) => {
    expect(budgetOf(heapLimit)).toBeGreaterThan(least);
    expect(budgetOf(heapLimit)).toBeLessThan(most);
  });

  it('charges text by the bytes that a character takes', () => {
    const plain = costOf(aBooking({ details: { text: 'x'.repeat(10_000) } }), undefined, false);
    const wide = costOf(aBooking({ details: { text: 'Ж'.repeat(10_000) } }), undefined, false);
    expect(wide - plain).toBeGreaterThanOrEqual(10_000);
  });

  it('charges a slot, a new resource and a key', () => {
    const [without, booking] = [aBooking(), aBooking({ resource: 'room' })];
    const key = { key: 'k'.repeat(255), fingerprint: 'f'.repeat(43) };
    const costs = [
      costOf(without, undefined, false),
      costOf(booking, undefined, false),
      costOf(booking, undefined, true),
      costOf(booking, key, true),
    ];
    expect(costs.toSorted((a, b) => a - b)).toEqual(costs);
    expect(new Set(costs).size).toBe(4);
  });

  it('spends up to its limit, and not on what does not fit', () => {
    const budget = new MemoryBudget();
    expect(budget.spend(budget.limit + 1, [1, 0, 0])).toBe(false);
    expect(budget.spend(budget.limit - 10_000, [1, 0, 0])).toBe(true);
    expect(budget.spend(10_000, [2, 0, 0])).toBe(false);
    expect(budget.spend(1_000, [2, 0, 0])).toBe(true);
  });

  it('counts the table of a map with the one that it grows out of', () => {
    const budget = new MemoryBudget();
    const half = budget.limit / 2;
    expect(budget.spend(half, [2 ** 10, 0, 0])).toBe(true);
    const entries = 2 ** Math.floor(Math.log2(half / 42));
    expect(budget.spend(1, [entries, 0, 0])).toBe(true);
    expect(budget.spend(1, [2 * entries, 0, 0])).toBe(false);
  });
});
