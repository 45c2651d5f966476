import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Timetable } from './timetable.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds in light, and in the dark, where only colors differ: the rule, and where. */
export async function findings({ page }: Timetable): Promise<string[]> {
  // Past the content security policy of the page, which this script is not a part of.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === 'dark' ? `runOnly: ['color-contrast']` : '';
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      `axe.run(document, { resultTypes: ['violations'], ${rules} })`,
    );
    found.push(
      ...violations.map(({ id, nodes }) => `${colorScheme}, ${id}: ${nodes.map(({ html }) => html).join(' | ')}`),
    );
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
