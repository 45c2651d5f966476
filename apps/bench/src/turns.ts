import type { Cost } from './measure.js';

/** Turns of one measurement. More of them would count more of the connecting, which each turn begins with. */
export const TURNS = 4;

/**
 * What requests cost each of several servers. They take turns in short bursts, there and back: what else a shared
 * machine does comes and goes by the second, and those that are held against each other should have the same of it.
 *
 * @param measures one for each server: sends its requests of one turn
 */
export async function costsInTurns(measures: readonly (() => Promise<Cost>)[]): Promise<Cost[]> {
  const sums = measures.map(() => ({ server: 0, database: 0 }));
  for (let turn = 0; turn < TURNS; turn++) {
    const there = [...measures.keys()];
    for (const index of turn % 2 === 0 ? there : there.toReversed()) {
      const { server, database } = await measures[index]!();
      sums[index]!.server += server / TURNS;
      sums[index]!.database += database / TURNS;
    }
  }
  return sums;
}
