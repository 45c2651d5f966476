import type { SlotDto } from '@booking-service/contracts';

/** Compares instants as text: responses and this workload write them in a single format. */
export function overlap(slot: SlotDto, window: { from: string; to: string }): boolean {
  return slot.start < window.to && window.from < slot.end;
}

export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    groups.set(keyOf(item), group);
    group.push(item);
  }
  return groups;
}
