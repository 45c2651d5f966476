import type { ConformanceOptions } from '@booking-service/conformance';
import { expectContract } from 'testing/contract';

/** Milliseconds that only a hang takes. */
export const HANG = 600_000;

/** Compares each response with the OpenAPI document, which the kit does not know. */
export const onResponse: ConformanceOptions['onResponse'] = ({ request, ...response }) => {
  expectContract({ ...request, ...response });
};
