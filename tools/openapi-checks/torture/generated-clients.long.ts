import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from 'testing';
import { documentPath, programOf, run } from './programs.js';

const slot = `{ resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' }`;
/** Prints what a booking, a get of it, and a second booking of its slot come to. */
const report = `
const printed = { guest: booking.guest, isSame: got.created_at === booking.created_at, type: problem.type };
console.log(JSON.stringify({ ...printed, heldFrom: problem.conflicting_slot.start }));`;

/** How each client is made, and a program that uses it. */
const clients = {
  '@hey-api/openapi-ts': {
    generate: (root: string) => {
      const config = {
        input: documentPath,
        output: { path: join(root, 'api'), importFileExtension: '.js' },
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
        logs: { level: 'error', file: false },
      };
      writeFileSync(join(root, 'openapi-ts.config.mjs'), `export default ${JSON.stringify(config)};`);
      return [programOf('@hey-api/openapi-ts', 'openapi-ts'), '--file', 'openapi-ts.config.mjs'];
    },
    program: (url: string) => `
import { client } from './api/client.gen.js';
import { createBooking, getBooking } from './api/sdk.gen.js';
import type { Booking, SlotTakenProblem } from './api/types.gen.js';

client.setConfig({ baseUrl: '${url}' });
const slot = ${slot};
const booking: Booking = (await createBooking({ body: { slot, guest: 'Ada' }, throwOnError: true })).data;
const got: Booking = (await getBooking({ path: { booking_id: booking.booking_id }, throwOnError: true })).data;
const problem = (await createBooking({ body: { slot } })).error as SlotTakenProblem;
${report}`,
  },
  orval: {
    generate: (root: string) => {
      const output = { target: join(root, 'api.ts'), client: 'fetch', baseUrl: 'SERVICE', mode: 'single' };
      const config = { bookings: { input: documentPath, output } };
      writeFileSync(join(root, 'orval.config.cjs'), `module.exports = ${JSON.stringify(config)};`);
      return [programOf('orval', 'orval'), '--config', 'orval.config.cjs'];
    },
    program: (url: string) => `
import { createBooking, getBooking } from './api.js';

// Orval writes the address into each request.
const send = globalThis.fetch;
globalThis.fetch = (input, init) => send(String(input).replace('SERVICE', '${url}'), init);
const slot = ${slot};
const created = await createBooking({ slot, guest: 'Ada' });
if (created.status !== 201) throw new Error(String(created.status));
const booking = created.data;
const response = await getBooking(booking.booking_id);
if (response.status !== 200) throw new Error(String(response.status));
const got = response.data;
const rejected = await createBooking({ slot });
if (rejected.status !== 409) throw new Error(String(rejected.status));
const problem = rejected.data;
${report}`,
  },
};

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable'],
  strict: true,
  types: [],
};

describe.each(Object.entries(clients))('A client that %s makes of the document', (_name, { generate, program }) => {
  let root: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'generated-client-'));
    mkdirSync(join(root, 'api'));
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    service = await ServiceProcess.start();
  });
  afterAll(async () => {
    await service.stop();
    rmSync(root, { recursive: true });
  });

  it('is made, compiles, makes a booking, gets it, and has the type of the problem of a second one', async () => {
    expect(await run(generate(root), root)).toMatchObject({ code: 0 });
    writeFileSync(join(root, 'main.ts'), program(service.url));
    writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
    expect(await run([programOf('typescript', 'tsc')], root)).toEqual({ code: 0, printed: '' });
    const { printed } = await run(['main.js'], root);
    expect(JSON.parse(printed)).toEqual({
      guest: 'Ada',
      isSame: true,
      type: 'urn:problem-type:bookings:slot-taken',
      heldFrom: '2026-12-01T09:00:00.000Z',
    });
  });
});
