import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { responseHeaders } from '@booking-service/contracts';

export const REQUEST_ID_HEADER = 'X-Request-Id';

const { maxLength, pattern } = responseHeaders['X-Request-Id'].schema;
const ACCEPTABLE = new RegExp(pattern);
const ID = Symbol('request id');

/** The id of the request that is answered: the caller's `X-Request-Id`, if it is 1 to 128 visible ASCII characters, else a new one. */
export function requestIdOf(response: ServerResponse & { [ID]?: string | undefined }): string {
  response[ID] ??= givenId(response) ?? randomUUID();
  return response[ID];
}

function givenId({ req: { headers } }: ServerResponse): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && given.length <= maxLength && ACCEPTABLE.test(given) ? given : undefined;
}
