/** An instant of `performance.now()`, in milliseconds. Setting the system's clock does not move it. */
export type Moment = number;
