/** A time from `performance.now()`, in milliseconds. Setting the system's clock does not affect it. */
export type Moment = number;
