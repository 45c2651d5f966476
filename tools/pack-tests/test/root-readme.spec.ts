import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceProcess } from 'testing';
import { project, run } from './support/consumer.js';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
/** A block of code and the block of what it prints. */
const examples = [...readme.matchAll(/```(sh|js)\n([^`]+)```\n\n```\n([^`]+)```/g)].map(
  ([, language, code, printed]) => ({ language: language!, code: code!, printed: printed! }),
);

/** Ids and times, which differ from run to run. */
function normalized(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, 'ID')
    .replaceAll(/(?<="created_at":")[^"]+/g, 'NOW')
    .trim();
}

describe('The examples of the README', () => {
  let service: ServiceProcess;

  beforeAll(async () => void (service = await ServiceProcess.start()));
  afterAll(() => service.stop());

  const here = (code: string): string => code.replaceAll('http://localhost:3000', service.url);

  it('are two commands and a program', () => {
    expect(examples.map(({ language }) => language)).toEqual(['sh', 'sh', 'js']);
  });

  it.each(examples.filter(({ language }) => language === 'sh'))(
    'get the responses that it shows (%#)',
    ({ code, printed }) => {
      const response = normalized(execFileSync('bash', ['-c', here(code).replace('curl -i', 'curl -si')]).toString());
      const [head, body] = response.split('\r\n\r\n') as [string, string];
      const [shownHead, shownBody] = normalized(printed).split('\n\n') as [string, string];
      expect(head.split('\r\n')).toEqual(expect.arrayContaining(shownHead.split('\n')));
      expect(body).toBe(shownBody);
    },
  );

  it('are formatted as `pnpm test` wants them, where a reader saves them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'readme-'));
    cpSync(new URL('../../../.oxfmtrc.json', import.meta.url), join(folder, '.oxfmtrc.json'));
    writeFileSync(join(folder, 'try.mjs'), examples.find(({ language }) => language === 'js')!.code);
    const workspace = fileURLToPath(new URL('../../../', import.meta.url));
    const oxfmt = join(workspace, 'node_modules/.bin/oxfmt');
    const { status } = spawnSync(oxfmt, ['--check', '.'], { cwd: folder });
    rmSync(folder, { recursive: true });
    expect(status).toBe(0);
  });

  it('name files and commands that are there', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const commands = [...readme.matchAll(/pnpm(?:@[\d.]+)? ([\w:]*\w)/g)].map(([, name]) => name!);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    const files = [...readme.matchAll(/\]\(([\w/.-]+)(?:#[\w-]+)?\)/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !existsSync(new URL(`../../../${file}`, import.meta.url)))).toEqual([]);
  });

  it('print what it shows', async () => {
    const { code, printed } = examples.find(({ language }) => language === 'js')!;
    const folder = project('node-esm');
    writeFileSync(join(folder, 'readme.js'), here(code));
    expect((await run(['readme.js'], folder)).printed).toBe(printed);
  });
});
