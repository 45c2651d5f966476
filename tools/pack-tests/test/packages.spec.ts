import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Project } from './project.js';

let project: Project;

beforeAll(() => (project = new Project()));
afterAll(() => project?.remove());

const commonJsTest = `
  const { BookingsClient, isBookingsError } = require('@booking-service/client');
  const { InvalidEventError, parseBookingEvent } = require('@booking-service/client/events');
  const { createBookingSchema, validate } = require('@booking-service/contracts');
  const { bookingCreatedEventSchema } = require('@booking-service/contracts/events');
  const { parseInstant } = require('@booking-service/contracts/instant');
  const { problemType } = require('@booking-service/contracts/problem-types');

  it('loads every entry', async () => {
    const fetch = async () => Response.json({ type: problemType('forbidden') }, { status: 403 });
    const failure = await new BookingsClient({ baseUrl: 'http://a', fetch }).list().catch((error) => error);
    expect(isBookingsError(failure)).toBe(true);
    await expect(parseBookingEvent('{}', {}, 'whsec_' + 'A'.repeat(32))).rejects.toThrow(InvalidEventError);
    expect(validate(createBookingSchema, {})).toEqual({ value: {} });
    expect(bookingCreatedEventSchema.safeParse({}).success).toBe(false);
    expect(parseInstant('1970-01-01T00:00:00Z')).toBe(0);
  });
`;

const typed = `
  import { BookingsClient, SlotTakenError } from '@booking-service/client';
  import type { BookingEventDto } from '@booking-service/client/events';
  export const client = new BookingsClient<{ guest: string }>({ baseUrl: 'http://a' });
  export const guestOf = async (): Promise<string> => (await client.get('b1')).guest;
  export const startOf = (error: unknown) => (error instanceof SlotTakenError ? error.conflictingSlot?.start : '');
  export const typeOf = (event: BookingEventDto): string => event.type;
`;

it('The packages load in a CommonJS project under Jest', async () => {
  project.write('commonjs/package.json', '{ "type": "commonjs" }');
  project.write('commonjs/load.test.js', commonJsTest);
  expect(await project.runTool('jest/bin/jest.js', '--rootDir', 'commonjs')).toEqual({
    code: 0,
    printed: expect.stringContaining('1 passed'),
  });
});

it.each([
  ['ESM', 'mts'],
  ['CommonJS', 'cts'],
])('The client has types without the contracts and without Zod, in %s', async (_, extension) => {
  project.write(`typed.${extension}`, typed);
  const flags = ['--target', 'es2021', '--module', 'node16', '--strict', '--noEmit', '--types', 'node', '--listFiles'];
  const { code, printed } = await project.runTool('typescript/bin/tsc', ...flags, `typed.${extension}`);
  expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining('client/dist/') });
  expect(printed).not.toMatch(/node_modules\/(?:zod|@booking-service\/contracts)\//);
});

it('The client in a bundle for a browser has less than 5,100 bytes in gzip', async () => {
  const entry = 'node_modules/@booking-service/client/dist/index.js';
  const flags = ['--platform', 'browser', '--minify', '--file', 'bundle.js'];
  expect(await project.runTool('rolldown/bin/cli.mjs', entry, ...flags)).toMatchObject({ code: 0 });
  expect(gzipSync(readFileSync(join(project.folder, 'bundle.js'))).length).toBeLessThan(5_100);
});
