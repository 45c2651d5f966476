/**
 * Asks the registry for known vulnerabilities of what runs: `pnpm audit:dependencies`. Exit codes: 0 none is known, 1
 * some are, 2 the registry did not respond, so that nothing is known.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const { stdout, stderr } = spawnSync('pnpm', ['audit', '--prod', '--json'], {
  cwd: join(import.meta.dirname, '..'),
  encoding: 'utf8',
});
/** How pnpm names the packages whose dependencies run. Those of the benchmark and the examples do not. */
const RUNS = ['apps__api>', 'packages__nest-http>', 'packages__postgres>', 'packages__contracts>', 'packages__client>'];
process.exitCode = report(stdout);

/**
 * @param {string} response
 * @returns {number}
 */
function report(response) {
  const advisories = advisoriesIn(response);
  if (advisories === undefined) {
    process.stderr.write(`NOT AUDITED: the registry gave no response to "pnpm audit".\n${stderr}`);
    return 2;
  }
  for (const { module_name, severity, title, url } of advisories) {
    process.stderr.write(`${severity}: ${module_name}: ${title} (${url})\n`);
  }
  process.stdout.write(`Known vulnerabilities of what runs: ${advisories.length}.\n`);
  return advisories.length === 0 ? 0 : 1;
}

/** @typedef {{ module_name: string, severity: string, title: string, url: string, findings: { paths: string[] }[] }} Advisory */

/**
 * @param {string} response
 * @returns {Advisory[] | undefined}
 */
function advisoriesIn(response) {
  try {
    /** @type {{ advisories?: Record<string, Advisory> }} */
    const { advisories } = JSON.parse(response);
    return advisories && Object.values(advisories).filter(concernsWhatRuns);
  } catch {
    return undefined;
  }
}

/** @param {Advisory} advisory */
function concernsWhatRuns({ findings }) {
  return findings.some(({ paths }) => paths.some((path) => RUNS.some((start) => path.startsWith(start))));
}
