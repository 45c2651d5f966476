import type { Moment } from '../moment.js';
import type { PendingStatement } from './connection.js';

/** Statements that wait for a connection, short ones apart: they may overtake long ones. */
export class WaitingStatements {
  readonly short: PendingStatement[] = [];
  readonly long: PendingStatement[] = [];

  get size(): number {
    return this.short.length + this.long.length;
  }

  /** Whether the first long one has to end earlier than the first short one: these could keep it waiting for ever. */
  get isLongFirst(): boolean {
    return firstOf(this.long) < firstOf(this.short);
  }

  /** The second statement of a request comes before the first ones of later requests, or none might end in time. */
  add(pending: PendingStatement): void {
    const queue = this.queueOf(pending);
    let place = queue.length;
    while (place > 0 && queue[place - 1]!.latest > pending.latest) place--;
    queue.splice(place, 0, pending);
  }

  remove(pending: PendingStatement): void {
    const queue = this.queueOf(pending);
    queue.splice(queue.indexOf(pending), 1);
  }

  failAll(error: Error): void {
    for (const each of [...this.short.splice(0), ...this.long.splice(0)]) each.fail(error);
  }

  private queueOf({ statement }: PendingStatement): PendingStatement[] {
    return statement.isShort ? this.short : this.long;
  }
}

/** When the first statement of a queue has to end. */
function firstOf(queue: readonly PendingStatement[]): Moment {
  return queue[0]?.latest ?? Infinity;
}
