import { median } from './figures.js';
import { type Cost, total } from './measure.js';
import { sizes } from './sizes.js';

/**
 * Requests of one turn. With fewer, connecting, which each turn begins with, would weigh more; with more, the other
 * servers would be idle for longer, which at 7,500 cost some more than others.
 */
export const TURN = 2_000;

/**
 * What requests cost each of several servers. They take turns, there and back, so that those that are compared
 * are measured within seconds of each other: the other load of a shared machine varies.
 *
 * @param amount requests of each server, in all turns
 * @param measures one for each server: sends some of them
 */
export async function costsInTurns(
  amount: number,
  measures: readonly ((amount: number) => Promise<Cost>)[],
): Promise<Cost[]> {
  const turns = Math.max(1, Math.round(amount / TURN));
  const means = measures.map(() => ({ server: 0, database: 0 }));
  for (let turn = 0; turn < turns; turn++) {
    const there = [...means.keys()];
    for (const index of turn % 2 === 0 ? there : there.toReversed()) {
      const { server, database } = await measures[index]!(Math.round(amount / turns));
      means[index]!.server += server / turns;
      means[index]!.database += database / turns;
    }
  }
  return means;
}

/**
 * What requests cost each of several stores: warmed up, in turns, the median of all rounds.
 *
 * @param costOf sends a number of them to one store
 */
export async function mediansInTurns<Store>(
  stores: readonly Store[],
  warmUp: number,
  amount: number,
  costOf: (store: Store, amount: number) => Promise<Cost>,
): Promise<Cost[]> {
  for (const store of stores) await costOf(store, warmUp);
  const rounds: Cost[][] = [];
  for (let round = 1; round <= sizes.rounds; round++) {
    rounds.push(
      await costsInTurns(
        amount,
        stores.map((store) => (some: number) => costOf(store, some)),
      ),
    );
  }
  return stores.map((_, index) => medianOf(rounds.map((costs) => costs[index]!)));
}

/** The rounds stay whole: server and database of the round whose sum is the median. */
function medianOf(costs: readonly Cost[]): Cost {
  const middle = median(costs.map(total));
  return costs.find((cost) => total(cost) === middle)!;
}
