/** How much of everything one run does. */
export interface Sizes {
  /** Rounds that a median is taken over. */
  readonly rounds: number;
  /** Bookings that every contender holds before it is measured. */
  readonly prefill: number;
  /** Requests of one measurement, and those before it that only warm up. */
  readonly requests: number;
  readonly warmUp: number;
  /** Seconds of one measurement of latency, at {@link STEADY_RATE}. */
  readonly steadySeconds: number;
  /** Bookings of the two stores whose costs are compared. */
  readonly small: number;
  readonly big: number;
  /** Requests of one measurement of growth; a create makes the store grow, so that it has its own. */
  readonly growthRequests: number;
  /** Creates that are rejected, before anything is measured on a store. */
  readonly growthWarmUp: number;
  readonly growthCreates: number;
  /** Requests of one measurement of a page of a window over half of all bookings. */
  readonly windowRequests: number;
  /** Creates of one measurement of throughput on PostgreSQL. */
  readonly throughputCreates: number;
}

const full: Sizes = {
  rounds: 3,
  prefill: 1_000,
  requests: 30_000,
  warmUp: 6_000,
  steadySeconds: 4,
  small: 1_000,
  big: 1_000_000,
  growthRequests: 6_000,
  growthWarmUp: 30_000,
  growthCreates: 4_000,
  windowRequests: 2_000,
  throughputCreates: 20_000,
};

const quick: Sizes = {
  rounds: 3,
  prefill: 1_000,
  requests: 1_500,
  warmUp: 500,
  steadySeconds: 0.5,
  small: 1_000,
  big: 20_000,
  growthRequests: 400,
  growthWarmUp: 1_000,
  growthCreates: 400,
  windowRequests: 200,
  throughputCreates: 1_500,
};

export const isQuick = process.env['BENCH_QUICK'] === '1';
export const sizes = isQuick ? quick : full;

/** Connections of the load generator while CPU time is measured. */
export const CONNECTIONS = 32;
/** Requests per second while latency is measured. */
export const STEADY_RATE = 1_000;
/** Clients that create at once while throughput is measured: one number after the other. */
export const THROUGHPUT_CLIENTS = [8, 64, 256];
/** The pool of the service, its default, and the connections of the plain loop that it is compared with. */
export const POOL_SIZE = 10;
/** Bytes of details in a booking: a small record, and the one of the limit on memory. */
export const SMALL_DETAILS = 50;
export const LARGE_DETAILS = 200;
