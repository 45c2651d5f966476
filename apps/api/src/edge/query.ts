import { parse, type ParsedUrlQuery } from 'node:querystring';
import { fieldErrorAt, type FieldErrorDto, MAX_ERRORS, validate } from '@booking-service/contracts';
import type { z } from 'zod';
import { Problem } from './problem.js';

/** Validates a query against a closed schema. @throws Problem `invalid-request`, with at most 20 errors */
export function readQuery<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  const query = parseQuery(text);
  const repeated = Object.keys(query)
    .filter((name) => Array.isArray(query[name]))
    .slice(0, MAX_ERRORS);
  if (repeated.length > 0) {
    throw invalidQuery(repeated.map((name) => fieldErrorAt([name], 'is given more than once')));
  }
  const validated = validate(schema, query);
  if ('value' in validated) return validated.value;
  const hasPlus = validated.errors.some(({ pointer }) => query[pointer.slice('#/'.length)]?.includes(' '));
  throw invalidQuery(validated.errors, hasPlus && text.includes('+'));
}

function invalidQuery(errors: FieldErrorDto[], hasPlus = false): Problem {
  const advice = hasPlus ? ' A `+` is read as a space; write `%2B` for a plus sign.' : '';
  return new Problem('invalid-request', `Some query parameters are invalid. See \`errors\`.${advice}`, {
    members: { errors },
  });
}

function parseQuery(query: string): ParsedUrlQuery {
  try {
    // `parse` replaces undecodable bytes with U+FFFD, which could merge two names.
    if (!/^[!-~]*$/.test(query)) throw new URIError();
    decodeURIComponent(query);
  } catch {
    throw new Problem('invalid-request', 'The query is not percent-encoded UTF-8.');
  }
  return parse(query, '&', '=', { maxKeys: 0 });
}
