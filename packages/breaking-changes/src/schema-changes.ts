import type { Comparison, Direction, Schema, SchemaComparer } from './comparison.js';
import { compareKeywords } from './keyword-changes.js';
import { find, isAnnotation, type Json } from './references.js';

/** Reports where a schema breaks those who relied on an older one (JSON Schema 2020-12, as OpenAPI 3.1 has it). */
export class SchemaComparison implements SchemaComparer {
  constructor(
    readonly comparison: Comparison,
    readonly direction: Direction,
    /** Where the schema stands, as messages of components say it. */
    private readonly place = direction === 'sent' ? 'in requests' : 'in responses',
  ) {}

  compare(before: Schema, after: Schema, where: string): void {
    let [was, is] = [partsOf(before), partsOf(after)];
    if (was.length !== is.length || was.some((part, index) => '$ref' in part !== '$ref' in is[index]!)) {
      was = was.flatMap((part) => followed(part, this.comparison.before));
      is = is.flatMap((part) => followed(part, this.comparison.after));
    }
    if (was.length > 0 && is.length > 0 && was.length !== is.length) {
      if (this.comparison.isSame(was, is)) return;
      this.report(where, 'is put together of other schemas (`$ref`, `allOf`), which this check cannot judge');
      return;
    }
    for (let index = 0; index < Math.max(was.length, is.length); index++) {
      this.#compareParts(was[index] ?? {}, is[index] ?? {}, where);
    }
  }

  #compareParts(before: Json, after: Json, where: string): void {
    if (!('$ref' in before)) return compareKeywords(this, before, after, where);
    const [was, is] = [String(before['$ref']), String(after['$ref'])];
    // A component is compared once for requests, once for responses and once for webhooks, wherever it is used.
    const key = `${this.place} ${was} ${is}`;
    if (this.comparison.compared.has(key)) return;
    this.comparison.compared.add(key);
    const name = `${this.place}, ${was.split('/').at(-1)}`;
    this.compare(find(was, this.comparison.before), find(is, this.comparison.after), name);
  }

  report(where: string, what: string): void {
    this.comparison.report(where, what);
  }
}

/** The parts of a schema that a value has to satisfy all of: its keywords, its `$ref`, its `allOf`. */
function partsOf(schema: Schema): Json[] {
  if (schema === undefined || schema === true) return [];
  if (schema === false) return [{ not: {} }];
  const { $ref, allOf = [], ...rest } = schema;
  const own = Object.entries(rest).filter(([keyword]) => !isAnnotation(keyword));
  return [
    ...(own.length > 0 ? [Object.fromEntries(own)] : []),
    ...(typeof $ref === 'string' ? [{ $ref }] : []),
    ...(allOf as Schema[]).flatMap(partsOf),
  ];
}

/** The parts of what a part refers to, or the part itself. */
function followed(part: Json, document: Json): Json[] {
  if (typeof part['$ref'] !== 'string') return [part];
  return partsOf(find(part['$ref'], document)).flatMap((inner) => followed(inner, document));
}
