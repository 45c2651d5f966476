import { ServiceProcess } from './support/service-process.js';

const LIST_LOADED = new URL('support/list-loaded.js', import.meta.url).href;

/** Packages that only some need. */
const OPTIONAL = ['pg', 'jose', 'rate-limiter-flexible', 'prom-client', 'multer', 'ajv', 'pino-pretty'];

async function loadedBy(env: Record<string, string>): Promise<unknown> {
  const service = await ServiceProcess.start(env, ['--import', LIST_LOADED]);
  await (await fetch(`${service.url}/metrics`)).text();
  expect(await service.stop()).toEqual([0, null]);
  const loaded = service.lines.find(({ msg }) => msg === 'loaded')?.['loaded'] as string[];
  expect(loaded).toEqual(expect.arrayContaining(['express', 'zod']));
  return OPTIONAL.filter((name) => loaded.includes(name));
}

describe('A start', () => {
  it('loads no more than the configuration asks for', async () => {
    expect(await loadedBy({})).toEqual(['prom-client']);
  }, 60_000);

  it('loads what it asks for', async () => {
    expect(await loadedBy({ RATE_LIMIT: '100' })).toEqual(['rate-limiter-flexible', 'prom-client']);
  }, 60_000);

  it.each([
    ['main.js', true],
    ['unjoined.js', false],
  ])(
    'of %s takes joined files: %p',
    async (program, isJoined) => {
      const service = await ServiceProcess.start({}, ['--import', LIST_LOADED], program);
      expect((await fetch(`${service.url}/v1/bookings`)).status).toBe(200);
      expect(await service.stop()).toEqual([0, null]);
      expect(service.lines.find(({ msg }) => msg === 'loaded')).toMatchObject({ isJoined });
    },
    60_000,
  );
});
