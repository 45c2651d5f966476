import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;

beforeAll(async () => {
  running = await startApp({ TIMETABLE_RESOURCES: 'room-1, "</head><script>, söme & any' });
});
afterAll(() => running.close());

const get = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(running.url + path, { headers });

describe('The timetable', () => {
  it('has the configured resources as text', async () => {
    const page = await (await get('/timetable', {})).text();
    expect(page).toContain('content="room-1,&quot;&lt;/head>&lt;script>,söme &amp; any"');
  });

  describe.each(['/timetable', '/timetable/timetable.js'])('at %s', (path) => {
    it.each([
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip;q=0.1', 'gzip'],
      ['deflate', 'identity'],
      ['*;q=0', 'identity'],
    ])('is sent to a client that accepts "%s" as %s, and not again while it is unchanged', async (accepted, coding) => {
      const response = await get(path, { 'accept-encoding': accepted });
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(coding);
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      expect(await response.text()).toBe(await (await get(path, { 'accept-encoding': 'identity' })).text());
      const known = { 'if-none-match': response.headers.get('etag')! };
      expect((await get(path, { 'accept-encoding': accepted, ...known })).status).toBe(304);
      const another = coding === 'identity' ? 'br' : 'identity';
      expect((await get(path, { 'accept-encoding': another, ...known })).status).toBe(200);
    });
  });
});
