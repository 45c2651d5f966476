import { ServiceProcess } from './support/service-process.js';

/** Prints, when the process ends, which of some packages it has loaded; they are CommonJS. */
const LIST_LOADED = `data:text/javascript,
  import Module from 'node:module';
  process.on('exit', () => {
    const packages = ['pg', 'rate-limiter-flexible', 'prom-client', 'multer'];
    const files = Object.keys(Module._cache);
    const loaded = packages.filter((name) => files.some((file) => file.includes('/node_modules/' + name + '/')));
    console.log(JSON.stringify({ level: 'test', msg: 'loaded', loaded }));
  });`.replaceAll('\n', '');

async function loadedBy(env: Record<string, string>): Promise<unknown> {
  const service = await ServiceProcess.start(env, ['--import', LIST_LOADED]);
  await (await fetch(`${service.url}/metrics`)).text();
  expect(await service.stop()).toEqual([0, null]);
  return service.lines.find(({ msg }) => msg === 'loaded')?.['loaded'];
}

describe('A start', () => {
  it('loads no more than the configuration asks for', async () => {
    expect(await loadedBy({})).toEqual(['prom-client']);
  }, 60_000);

  it('loads what it asks for', async () => {
    expect(await loadedBy({ RATE_LIMIT: '100' })).toEqual(['rate-limiter-flexible', 'prom-client']);
  }, 60_000);
});
