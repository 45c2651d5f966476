import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { requireProgram } from './require-program.js';

const folder = join(import.meta.dirname, '../observability');

function promtool(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  expect({ status, printed: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, printed: '' });
}

describe('promtool', () => {
  beforeAll(() => requireProgram('promtool', 'prometheus'));

  it('accepts the example of a scrape and its rules', () => promtool('check', 'config', 'prometheus.yml'));

  it('raises three alerts for their faults, and not before', () =>
    promtool('test', 'rules', '../test/alerts.test.yml'));

  it('accepts the expressions of the dashboard', () => {
    const { panels } = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8')) as {
      panels: { targets: { expr: string }[] }[];
    };
    const rules = panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, index) => ({ record: `panel:${index}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
    const file = join(mkdtempSync(join(tmpdir(), 'dashboard-')), 'rules.yml');
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
    promtool('check', 'rules', '--lint=none', file);
    rmSync(join(file, '..'), { recursive: true });
  });
});
