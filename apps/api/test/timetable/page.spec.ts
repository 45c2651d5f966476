import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { send } from 'testing/raw-http';
import { TimetablePage } from '../../src/timetable/timetable-page.js';
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
  it('is at /timetable, labelled preview, with files of this service alone and nothing within the page', async () => {
    const { text, headers } = await service.get('/timetable').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toMatch(/<title>[^<]*preview[^<]*<\/title>/);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    const files = [...text.matchAll(/(?:src|href)="([^"]+\.\w+)"/g)].map(([, file]) => file!);
    expect(files).toHaveLength(3);
    for (const file of files) {
      // Relative, so that the page also works below a prefix that a proxy takes off.
      expect(file).toMatch(/^timetable\/[\w.]+$/);
      await service.get(`/${file}`).expect(200);
    }
  });

  it('has the policy of the documentation, without what that has in its page', async () => {
    const { headers } = await service.get('/timetable').expect(200);
    const { headers: ofDocs } = await service.get('/docs').expect(200);
    const withoutHashes = ofDocs['content-security-policy']!.replace(/ 'sha256-[^']*'/g, '').replace(
      /style-src-attr [^;]*; /,
      '',
    );
    expect(headers['content-security-policy']).toBe(withoutHashes);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  it('has the resources of the configuration, as text', async () => {
    const { text } = await service.get('/timetable').expect(200);
    expect(text).toContain(
      '<meta name="bookings-resources" content="room-1,&quot;&lt;/head>&lt;script>,söme &amp; any"',
    );
  });

  it.each(['/timetable', '/timetable/timetable.js', '/timetable/timetable.css', '/timetable/icon.svg'])(
    '%s is read-only, and not sent again where it is unchanged',
    async (path) => {
      const { headers } = await service.get(path).expect(200);
      expect(headers['cache-control']).toBe('private, no-cache');
      await service.get(path).set('If-None-Match', headers['etag']!).expect(304);
      await service.get(path).set('If-None-Match', '"another"').expect(200);
      await service.head(path).expect(200);
      expect((await service.options(path).expect(204)).headers['allow']).toBe('GET, HEAD, OPTIONS');
      const { body } = await service.post(path).send({}).expect(405);
      expect(body).toMatchObject(aProblem('method-not-allowed'));
    },
  );

  describe.each(['/timetable', '/timetable/timetable.js', '/timetable/timetable.css', '/timetable/icon.svg'])(
    '%s in a content coding',
    (target) => {
      const get = (accepted: string | undefined, headers: Record<string, string> = {}) =>
        send(running.url, {
          target,
          headers: { ...(accepted !== undefined && { 'accept-encoding': accepted }), ...headers },
        });

      it.each([
        ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
        ['br;q=0, gzip;q=0.1', 'gzip', gunzipSync],
        ['deflate', undefined, asIs],
        ['', undefined, asIs],
        ['*;q=0', undefined, asIs],
        [undefined, undefined, asIs],
      ] as const)('of those in "%s" is in %s, with its own ETag', async (accepted, coding, decode) => {
        const plain = await get('identity');
        const response = await fetchRaw(running.url + target, accepted);
        expect(response.headers['content-encoding']).toBe(coding);
        expect(response.headers['vary']).toBe('Accept-Encoding');
        expect(response.headers['content-length']).toBe(String(response.body.length));
        expect(decode(response.body).toString()).toBe(plain.text);
        const etag = response.headers['etag']!;
        expect(etag === plain.headers['etag']).toBe(coding === undefined);
        const again = await get(accepted, { 'if-none-match': etag });
        expect(again.status).toBe(304);
        expect(again.headers).toMatchObject({ etag, vary: 'Accept-Encoding' });
        expect(again.headers).not.toHaveProperty('content-encoding');
        expect((await get('deflate', { 'if-none-match': etag })).status).toBe(coding === undefined ? 304 : 200);
      });
    },
  );

  it.each([
    '/timetable/',
    '/timetable/index.html',
    '/timetable/package.json',
    '/timetable/..%2Findex.html',
    '/timetable/%2e%2e/package.json',
    '/timetable/constructor',
    '/timetable/timetable.js/',
    '/timetable/timetable/timetable.js',
    '/Timetable',
  ])('there is nothing at %s', async (target) => {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const { status, text } = await send(running.url, { method, target });
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
    }
  });

  it('is read on the first request, not before, and again where it was not built yet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'timetable-'));
    const page = new TimetablePage([], folder);
    await expect(page.page('identity', undefined)).rejects.toThrow('ENOENT');
    writeFileSync(join(folder, 'index.html'), 'built');
    expect(await page.page('identity', undefined)).toMatchObject({ status: 200, body: Buffer.from('built') });
    writeFileSync(join(folder, 'index.html'), 'built again');
    expect(await page.page('identity', undefined)).toMatchObject({ body: Buffer.from('built') });
    rmSync(folder, { recursive: true });
  });

  it('can be left out', async () => {
    const without = await startApp({ TIMETABLE: 'false' });
    const other = api(without.url);
    for (const path of ['/timetable', '/timetable/timetable.js', '/']) {
      const { body } = await other.get(path).set('Accept', BROWSER).expect(404);
      expect(body).toMatchObject(aProblem('route-not-found'));
    }
    await without.close();
  });
});

describe('GET /', () => {
  it('leads a browser to the timetable, by a relative reference', async () => {
    for (const method of ['get', 'head'] as const) {
      const { headers } = await service[method]('/').redirects(0).set('Accept', BROWSER).expect(302);
      expect(headers).toMatchObject({ location: 'timetable', vary: 'Accept' });
    }
  });

  it.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html;q=0.5, */*', 'image/png'])(
    'is 404 for who prefers something else: %s',
    async (accept) => {
      const { status, text } = await send(running.url, { target: '/', ...(accept && { headers: { Accept: accept } }) });
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
    },
  );

  it.each(['POST', 'OPTIONS', 'DELETE'])('%s / stays 404', async (method) => {
    expect((await send(running.url, { method, target: '/' })).status).toBe(404);
  });
});

/** The bytes of a response, which are not decompressed. */
async function fetchRaw(url: string, accepted: string | undefined) {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers }, resolve).once('error', reject).end();
  });
  return { headers: response.headers, body: await buffer(response) };
}
