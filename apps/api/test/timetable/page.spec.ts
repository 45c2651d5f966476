import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const asIs = (body: Buffer) => body;
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp({ TIMETABLE_RESOURCES: 'room-1, "</head><script>, söme & any' });
  service = api(running.url);
});
afterAll(() => running.close());

describe('The timetable', () => {
  it('has files of this service alone, nothing within the page, and the configured resources as text', async () => {
    const { text, headers } = await service.get('/timetable').expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self';"),
    });
    expect(text).toMatch(/<title>[^<]*preview[^<]*<\/title>/);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    expect(text).toContain('content="room-1,&quot;&lt;/head>&lt;script>,söme &amp; any"');
    const files = [...text.matchAll(/(?:src|href)="([^"]+\.\w+)"/g)].map(([, file]) => file!);
    expect(files).toHaveLength(3);
    for (const file of files) {
      // A relative path also works below a prefix that a proxy takes off.
      expect(file).toMatch(/^timetable\/[\w.]+$/);
      await service.get(`/${file}`).expect(200);
    }
  });

  describe.each(['/timetable', '/timetable/timetable.js'])('at %s', (path) => {
    it('is read-only', async () => {
      await service.head(path).expect(200);
      await service.options(path).expect(204).expect('Allow', 'GET, HEAD, OPTIONS');
      expect((await service.post(path).send({}).expect(405)).body).toMatchObject(aProblem('method-not-allowed'));
    });

    it.each([
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['br;q=0, gzip;q=0.1', 'gzip', gunzipSync],
      ['deflate', undefined, asIs],
      ['*;q=0', undefined, asIs],
    ] as const)(
      'is sent to who accepts "%s" as %s, and not again where it is unchanged',
      async (accepted, coding, decode) => {
        const { headers, body } = await bytesOf(path, accepted);
        expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'cache-control': 'private, no-cache' });
        expect(headers['content-encoding']).toBe(coding);
        expect(decode(body)).toEqual((await bytesOf(path, 'identity')).body);
        const again = { 'accept-encoding': accepted, 'if-none-match': headers.etag! };
        expect((await send(running.url, { target: path, headers: again })).status).toBe(304);
        const otherwise = {
          'accept-encoding': coding === undefined ? 'br' : 'identity',
          'if-none-match': headers.etag!,
        };
        expect((await send(running.url, { target: path, headers: otherwise })).status).toBe(200);
      },
    );
  });

  it.each(['/timetable/', '/timetable/index.html', '/timetable/..%2Findex.html', '/timetable/constructor'])(
    'has nothing at %s',
    async (target) => {
      const { status, text } = await send(running.url, { target });
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
    },
  );

  it('is where / leads a browser, by a relative reference, and nobody else', async () => {
    const { headers } = await service.get('/').redirects(0).set('Accept', BROWSER).expect(302);
    expect(headers).toMatchObject({ location: 'timetable', vary: 'Accept' });
    for (const accept of ['*/*', 'application/json, text/html'])
      await service.get('/').set('Accept', accept).expect(404);
    await service.post('/').set('Accept', BROWSER).expect(404);
  });
});

/** The bytes of a response, which are not decompressed. */
async function bytesOf(path: string, accepted: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(running.url + path, { headers: { 'accept-encoding': accepted } }, resolve)
      .once('error', reject)
      .end();
  });
  return { headers: response.headers, body: await buffer(response) };
}
