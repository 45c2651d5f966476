import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const dinner = fileURLToPath(new URL('../../../../examples/booking-schema/dinner.schema.json', import.meta.url));

/** Whether the built service has loaded Ajv once it is ready to listen. */
async function loadsAjv(env: Record<string, string>): Promise<boolean> {
  const program = `
    import { createRequire } from 'node:module';
    import { createApp } from '${new URL('../../build/create-app.js', import.meta.url).href}';
    import { createLog } from '${new URL('../../build/observability/logger.js', import.meta.url).href}';
    import { readConfig } from '${new URL('../../build/config/config.js', import.meta.url).href}';
    const config = readConfig(process.env);
    await createApp(config, await createLog({ ...config.log, level: 'silent' }));
    const files = Object.keys(createRequire(import.meta.url).cache);
    process.stdout.write(String(files.some((file) => /[\\\\/]ajv[\\\\/]/.test(file))));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env });
  return stdout === 'true';
}

describe('Ajv', () => {
  it('is loaded where there is a booking schema, and only there', async () => {
    expect(await loadsAjv({ BOOKING_SCHEMA_FILE: dinner })).toBe(true);
    expect(await loadsAjv({})).toBe(false);
  });
});
