import { readFileSync } from 'node:fs';
import { compile } from 'json-schema-to-typescript';
import type { JsonSchema } from '../booking-schema/json-schema.js';
import { toBookingSchema } from '../booking-schema/read-booking-schema.js';

/** Prints the TypeScript type of the details that a schema for `BOOKING_SCHEMA_FILE` describes. */
const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('Usage: details-type FILE, where FILE is a schema for BOOKING_SCHEMA_FILE.\n');
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
  process.stdout.write(type);
} catch (error) {
  process.stderr.write(`There is no type for ${file}: ${(error as Error).message}\n`);
  process.exit(1);
}
