import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Timetable } from './timetable.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds: the rule, and where. In the dark, only colors differ. */
export async function findings({ page }: Timetable, isDark = false): Promise<string[]> {
  // Past the content security policy of the page, which this script is not a part of.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe);
  const found = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], ${isDark ? "runOnly: ['color-contrast']" : ''} })`,
  );
  const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}
