import type { Connection } from './connection.js';
import { errorsOf } from './deployment.js';
import type { ReceivedResponse, OutgoingRequest } from './exchange.js';
import { NoResponse } from './failure.js';
import { aResource, aSlot } from './fixtures.js';
import type { Settings } from './options.js';
import { COLLECTION, post } from './service.js';

/** No service responds at the URL. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The run lacks a token or a payload that the service accepts. */
export class NotCheckableError extends Error {
  override readonly name = 'NotCheckableError';
}

/**
 * Finds out whether the run can begin: lists bookings and, unless it is read-only, creates one.
 *
 * @throws UnreachableError, NotCheckableError
 */
export async function probe(connection: Connection, { url, headers, readOnly, payload }: Settings): Promise<void> {
  const send = async (request: OutgoingRequest): Promise<ReceivedResponse> => {
    try {
      return await connection.send(request);
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      throw new UnreachableError(`nothing responds at ${url.href}: ${error.reason}`, { cause: error });
    }
  };
  expectAllowed(await send({ method: 'GET', target: COLLECTION }), 'bookings:read', headers);
  if (readOnly) return;
  const slot = payload === undefined ? {} : { slot: aSlot(aResource()) };
  const create = await send(post(JSON.stringify(slot)));
  expectAllowed(create, 'bookings:write', headers);
  const [error] = errorsOf(create) ?? [];
  if (error === undefined) return;
  const why = `${error.pointer} ${error.detail}`;
  throw new NotCheckableError(
    payload === undefined
      ? `the service has its own schema, which rejects {} (${why}): give a payload that it accepts with --payload FILE`
      : `the service rejects the payload of --payload with a slot of this run (${why}): give one that it accepts`,
  );
}

function expectAllowed({ status }: ReceivedResponse, scope: string, headers: Settings['headers']): void {
  if (status === 401) {
    throw new NotCheckableError(
      'authorization' in headers
        ? 'the service rejects the token of --header: give a valid one'
        : "the service requires a token: give one with --header 'Authorization: Bearer TOKEN'",
    );
  }
  if (status === 403) {
    const instead = scope === 'bookings:write' ? ', or use --read-only' : '';
    throw new NotCheckableError(`the token lacks the scope ${scope}: give one that has it${instead}`);
  }
}
