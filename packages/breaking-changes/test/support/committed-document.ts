import { readFileSync } from 'node:fs';
import { breakingChanges } from '../../src/document-changes.js';

const committed = readFileSync(new URL('../../../contracts/openapi.json', import.meta.url), 'utf8');

/** Parts of the document that the tests change. */
export interface Document {
  [member: string]: unknown;
  openapi: string;
  info: Record<string, unknown>;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, unknown>; securitySchemes?: object };
}

export interface Operation {
  [member: string]: unknown;
  operationId: string;
  parameters: Parameter[];
  requestBody: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { description: string; headers: Record<string, unknown>; content: Record<string, { schema: Schema }> }
  >;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

export interface Schema {
  [keyword: string]: unknown;
  properties: Record<string, Schema>;
  required: string[];
  allOf: Schema[];
  enum: unknown[];
}

/** The committed document, a new copy each time, and short ways to what is in it. */
export function committedDocument() {
  const document = JSON.parse(committed) as Document;
  const bookings = document.paths['/v1/bookings']!;
  const list = bookings['get']!;
  return {
    document,
    schemas: document.components.schemas as Record<
      'Slot' | 'CreateBooking' | 'Booking' | 'BookingPage' | 'BookingCreatedEvent' | 'Problem' | 'Fault',
      Schema
    >,
    list,
    create: bookings['post']!,
    created: document.webhooks['bookingCreated']!['post']!,
    get: document.paths['/v1/bookings/{booking_id}']!['get']!,
    parameter: (name: string) => list.parameters.find((parameter) => parameter.name === name)!,
  };
}

export type Committed = ReturnType<typeof committedDocument>;

export type Change = (committed: Committed) => void;

/** What the check finds after a change of the committed document. */
export function foundAfter(change: Change): string[] {
  const committed = committedDocument();
  change(committed);
  return breakingChanges(committedDocument().document, committed.document);
}

/** The schema of any text. */
export const text = () => ({ type: 'string' }) as never;
