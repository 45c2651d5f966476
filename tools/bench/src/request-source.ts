import type { FixedRequest, Requests } from './load.js';
import { payloadOf } from './payloads.js';

/** Gives the requests of a load, one after the other, to any connection. */
export class RequestSource {
  private position: number;

  constructor(private readonly requests: Requests) {
    this.position = 'payloads' in requests ? requests.firstNumber : 0;
  }

  next(): FixedRequest {
    const number = this.position++;
    const { requests } = this;
    if ('payloads' in requests) return { path: requests.path, body: payloadOf(number, requests.payloads) };
    return requests.inTurn[number % requests.inTurn.length]!;
  }

  /** How many were given, or the number of the next payload. */
  get nextNumber(): number {
    return this.position;
  }
}

export function headersOf({ body, key }: FixedRequest): Record<string, string> {
  return {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
}
