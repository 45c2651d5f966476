import type { Comparison } from './comparison.js';
import { type ContenderName, type Operation, operationNames, operations } from './contenders.js';
import type { Growth } from './growth.js';
import type { Cost } from './measure.js';
import { slotOrders } from './payloads.js';
import type { Throughput } from './throughput.js';

export interface Results {
  readonly comparison: Comparison;
  readonly growth: Growth;
  readonly throughput: readonly Throughput[];
}

/** A promise of the project about its cost, and whether this run kept it. */
export interface Limit {
  readonly what: string;
  readonly bound: 'at most' | 'at least';
  readonly limit: number;
  readonly value: number;
  readonly isReached: boolean;
}

/** How many times the CPU of a request of `other` one of the service takes; NaN if one of the two was not measured. */
export function ratioTo(
  comparison: Comparison,
  other: ContenderName,
  operation: Operation,
  service: 'memory' | 'postgres' = 'memory',
  of: keyof Cost = 'server',
): number {
  const costOf = (name: ContenderName) => comparison[name]?.cost[operation]?.[of] ?? Number.NaN;
  return costOf(service) / costOf(other);
}

/** At most so many times the CPU of Nest on Fastify with the same duties. */
const toEqualDuties = { get: 0.55, list: 0.65, create: 0.75, rejected: 0.75 };

/** At most so many times the CPU of the bare server on PostgreSQL. */
const toBarePg: Record<Operation, number> = { get: 1.2, list: 1.4, create: 1.3, rejected: 1.6, replay: 1.6 };
/** The same for the CPU of the database, of every operation. */
const DATABASE_TO_BARE = 1.3;

/** Creates per second by HTTP, at least so many times those of the plain loop, by the number of clients. */
const toLoop: Record<number, number> = { 64: 1, 256: 1.1 };

/** The limits on costs against other contenders, where both were measured, each with the value of this run. */
export function comparisonLimits(comparison: Comparison): Limit[] {
  const toBare = (operation: Operation) => ratioTo(comparison, 'bare', operation);
  const cheaperThanExpress = (operation: Operation) => 1 / ratioTo(comparison, 'nest-express', operation);
  const limits = [
    atMost(1.6, 'get / bare', toBare('get')),
    atMost(1.1, 'list / bare', toBare('list')),
    atMost(2, 'create / bare', toBare('create')),
    atMost(2.5, 'replay / bare', toBare('replay')),
    atMost(2.5, '409 / bare', toBare('rejected')),
    atLeast(4, 'get: nest-express / this service', cheaperThanExpress('get')),
    atLeast(4, 'list: nest-express / this service', cheaperThanExpress('list')),
    atLeast(3, 'create: nest-express / this service', cheaperThanExpress('create')),
    atMost(1, 'list / nest-fastify', ratioTo(comparison, 'nest-fastify', 'list')),
    ...(['get', 'list', 'create', 'rejected'] as const).map((operation) =>
      atMost(
        toEqualDuties[operation],
        `${operationNames[operation]} / nest-fastify-equal`,
        ratioTo(comparison, 'nest-fastify-equal', operation),
      ),
    ),
    ...operations.flatMap((operation) => {
      const ratio = (of: keyof Cost) => ratioTo(comparison, 'bare-pg', operation, 'postgres', of);
      const name = operationNames[operation];
      return [
        atMost(toBarePg[operation], `PostgreSQL: ${name} / bare-pg`, ratio('server')),
        atMost(DATABASE_TO_BARE, `PostgreSQL: ${name} / bare-pg, CPU of the database`, ratio('database')),
      ];
    }),
  ];
  return limits.filter(({ value }) => !Number.isNaN(value));
}

/** All limits, each with the value of this run. */
export function limitsOf({ comparison, growth, throughput }: Results): Limit[] {
  const growthLimits = (store: 'memory' | 'postgres') =>
    growth[store].rows.map(({ operation, ratio }) => atMost(1.3, `${store}: ${operation}, many bookings / few`, ratio));
  const windowLimits = (store: 'memory' | 'postgres') =>
    slotOrders.map((order) => {
      const ratios = growth[store].windows.filter(({ made }) => made === order).map(({ ratio }) => ratio);
      return atMost(
        5,
        `${store}: window over half, made ${order}, worst page / first page of all`,
        Math.max(...ratios),
      );
    });
  return [
    ...comparisonLimits(comparison),
    ...growthLimits('memory'),
    ...growthLimits('postgres'),
    ...windowLimits('memory'),
    ...windowLimits('postgres'),
    atMost(1_024, 'bytes of heap for a booking with 200 bytes of details', growth.bookingHeap),
    atMost(1_024, 'bytes of resident memory for the same', growth.bookingResident),
    ...throughput
      .filter(({ clients }) => clients in toLoop)
      .map(({ clients, ratio }) =>
        atLeast(toLoop[clients]!, `PostgreSQL: creates by HTTP, ${clients} clients / by the plain loop`, ratio),
      ),
    atMost(1_000, 'milliseconds to the first response, in memory', comparison.memory!.startUp),
  ];
}

function atMost(limit: number, what: string, value: number): Limit {
  return { what, bound: 'at most', limit, value, isReached: value <= limit };
}

function atLeast(limit: number, what: string, value: number): Limit {
  return { what, bound: 'at least', limit, value, isReached: value >= limit };
}
