/** An instant of `performance.now()`, in milliseconds: unlike a time of day, no change of the clock moves it. */
export type Moment = number;
