import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../build/cli/print-details-type.js', import.meta.url));
const dinner = fileURLToPath(new URL('../../../../examples/booking-schema/dinner.schema.json', import.meta.url));

describe('The type of the details of a booking schema', () => {
  it('is what the command prints: `dinner-types.ts` holds it against the types of the contract', async () => {
    const { stdout } = await run(process.execPath, [program, dinner]);
    expect(stdout).toBe(readFileSync(new URL('dinner-details.ts', import.meta.url), 'utf8'));
  });

  it('is not printed for what is no booking schema', async () => {
    const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));
    await expect(run(process.execPath, [program, manifest])).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^There is no type for .*"type": "object".*\n$/),
    });
  });
});
