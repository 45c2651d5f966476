import { fileURLToPath } from 'node:url';
import { ServiceProcess } from 'testing';

const LIST_LOADED = new URL('support/list-loaded.js', import.meta.url).href;

const BOOKING_SCHEMA_FILE = fileURLToPath(
  new URL('../../../examples/booking-schema/dinner.schema.json', import.meta.url),
);

/** Packages that only some configurations need. */
const OPTIONAL = ['pg', 'jose', 'multer', 'ajv', 'pino-pretty', '@opentelemetry/sdk-node'];

async function loadedBy(env: Record<string, string>): Promise<unknown> {
  const service = await ServiceProcess.start(env, ['--import', LIST_LOADED]);
  await (await fetch(`${service.url}/v1/bookings`)).text();
  expect(await service.stop()).toEqual([0, null]);
  const loaded = service.lines.find(({ msg }) => msg === 'loaded')?.['loaded'] as string[];
  expect(loaded).toEqual(expect.arrayContaining(['express', 'zod', 'prom-client']));
  return OPTIONAL.filter((name) => loaded.includes(name));
}

describe('A start', () => {
  it('loads no packages that the configuration does not need', async () => {
    expect(await loadedBy({})).toEqual([]);
  });

  it('loads the package that a setting needs', async () => {
    expect(await loadedBy({ BOOKING_SCHEMA_FILE })).toEqual(['ajv']);
  });
});
