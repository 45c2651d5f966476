import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { validate } from '@booking-service/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { z } from 'zod';
import { Problem } from './problems.js';

/**
 * The query of the request, held against a closed schema: nothing in it is ignored, and nothing that
 * cannot be decoded is guessed at.
 *
 * @throws Problem `invalid-request`
 */
export const StrictQuery = createParamDecorator(({ as }: { as: z.ZodType }, context: ExecutionContext): unknown => {
  const { url = '' } = context.switchToHttp().getRequest<IncomingMessage>();
  const validated = validate(as, parseQuery(queryOf(url)));
  if ('value' in validated) return validated.value;
  throw new Problem('invalid-request', 'The query is not one of this list. See `errors`.', {
    errors: validated.faults,
  });
});

/** The query of a request target, without its `?`; empty where there is none. */
export function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

function parseQuery(query: string): Record<string, unknown> {
  try {
    // `parse` below turns what it cannot decode into U+FFFD, and then two names become one.
    if (!/^[!-~]*$/.test(query)) throw new URIError();
    decodeURIComponent(query);
  } catch {
    throw new Problem('invalid-request', 'The query is not percent-encoded UTF-8.');
  }
  // Every part counts, however many there are.
  return parse(query, '&', '=', { maxKeys: 0 });
}
