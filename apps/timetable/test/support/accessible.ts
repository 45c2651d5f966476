import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Timetable } from './timetable.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Expects that axe-core finds nothing in a state of the page: in light, and in the dark, where only colours differ. */
export async function expectAccessible({ page }: Timetable, state: string): Promise<void> {
  // An evaluated script is no part of the page, so the content security policy does not stop it.
  await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === 'dark' ? `runOnly: ['color-contrast']` : '';
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      `axe.run(document, { resultTypes: ['violations'], ${rules} })`,
    );
    for (const { id, nodes } of violations) found.push(colorScheme, id, ...nodes.map(({ html }) => html));
  }
  expect({ state, found }).toEqual({ state, found: [] });
}
