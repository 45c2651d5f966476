import { parse, type ParsedUrlQuery } from 'node:querystring';
import { fieldErrorAt, type FieldErrorDto, MAX_ERRORS, validate } from '@booking-service/contracts';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { Problem } from './problem.js';

/** Validates a query against its schema, which allows no unknown parameters. */
export class QueryPipe implements PipeTransform<ParsedUrlQuery> {
  /** @throws Problem `invalid-request`, with at most 20 errors */
  transform(query: ParsedUrlQuery, { schema }: ArgumentMetadata): unknown {
    const repeated = Object.keys(query)
      .filter((name) => Array.isArray(query[name]))
      .slice(0, MAX_ERRORS);
    if (repeated.length > 0) {
      throw invalidQuery(repeated.map((name) => fieldErrorAt([name], 'is given more than once')));
    }
    const validated = validate(schema as z.ZodType, query);
    if ('value' in validated) return validated.value;
    const hasSpace = validated.errors.some(({ pointer }) => query[pointer.slice('#/'.length)]?.includes(' '));
    throw invalidQuery(validated.errors, hasSpace);
  }
}

function invalidQuery(errors: FieldErrorDto[], hasSpace = false): Problem {
  const advice = hasSpace ? ' A `+` is read as a space; write `%2B` for a plus sign.' : '';
  return new Problem('invalid-request', `Some query parameters are invalid. See \`errors\`.${advice}`, {
    members: { errors },
  });
}

/** The setting `query parser` of Express. @param query null if the URL has none @throws Problem `invalid-request` */
export function parseQuery(query: string | null): ParsedUrlQuery {
  if (query === null) return {};
  try {
    // `parse` replaces undecodable bytes with U+FFFD, which could make two names the same.
    if (!/^[!-~]*$/.test(query)) throw new URIError();
    decodeURIComponent(query);
  } catch {
    throw new Problem('invalid-request', 'The query is not percent-encoded UTF-8.');
  }
  return parse(query, '&', '=', { maxKeys: 0 });
}
