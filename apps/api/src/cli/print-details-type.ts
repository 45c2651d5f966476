import { readFileSync } from 'node:fs';
import { compile } from 'json-schema-to-typescript';
import type { JsonSchema } from '../booking-schema/json-schema.js';
import { toBookingSchema } from '../booking-schema/read-booking-schema.js';
import { print, printError } from '../observability/print.js';

/** Prints the TypeScript type of the details that a schema for `BOOKING_SCHEMA_FILE` describes. */
const [file] = process.argv.slice(2);
if (file === undefined) {
  printError('Usage: details-type FILE, where FILE is a schema for BOOKING_SCHEMA_FILE.\n');
  process.exit(1);
}
try {
  const schema = JSON.parse(readFileSync(file, 'utf8')) as JsonSchema;
  toBookingSchema(schema);
  const type = await compile({ ...schema, title: 'BookingDetails' }, 'BookingDetails', {
    bannerComment:
      '/** The members of a booking other than those of the service: `CreateBookingDto<BookingDetails>`. */',
    style: { singleQuote: true, printWidth: 120 },
    // Nothing is read but the file itself.
    $refOptions: { resolve: { external: false } },
  });
  print(type);
} catch (error) {
  printError(`There is no type for ${file}: ${(error as Error).message}\n`);
  process.exit(1);
}
