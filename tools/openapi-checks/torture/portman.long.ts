import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from 'testing';
import { documentPath, programOf, run } from './programs.js';

/** The get asks for the booking of the create: an id that nobody has is 404. */
const config = {
  version: 1.0,
  tests: {
    contractTests: [
      {
        openApiOperation: '*::/v1/*',
        statusSuccess: { enabled: true },
        contentType: { enabled: true },
        jsonBody: { enabled: true },
        schemaValidation: { enabled: true },
        headersPresent: { enabled: true },
      },
    ],
  },
  assignVariables: [
    {
      openApiOperation: 'POST::/v1/bookings',
      collectionVariables: [{ responseBodyProp: 'booking_id', name: 'made' }],
    },
  ],
  overwrites: [
    {
      openApiOperation: 'GET::/v1/bookings/{booking_id}',
      overwriteRequestPathVariables: [{ key: 'booking_id', value: '{{made}}', overwrite: true }],
    },
  ],
  globals: { orderOfOperations: ['POST::/v1/bookings', 'GET::/v1/bookings/{booking_id}', 'GET::/v1/bookings'] },
};

describe('Portman', () => {
  it('finds that the service does what the document says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portman-'));
    const service = await ServiceProcess.start();
    try {
      writeFileSync(join(folder, 'portman.json'), JSON.stringify(config));
      const options = ['-l', documentPath, '-b', service.url, '-o', 'collection.json', '-c', 'portman.json', '-n'];
      const { code, printed } = await run([programOf('@apideck/portman', 'portman'), ...options], folder);
      expect(printed).toMatch(/\[POST\]::\/v1\/bookings - Schema is valid/);
      const [, executed, failed] = /assertions │\s+(\d+) │\s+(\d+) │/.exec(printed)!;
      expect({ code, failed: Number(failed) }).toEqual({ code: 0, failed: 0 });
      expect(Number(executed)).toBeGreaterThanOrEqual(12);
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
