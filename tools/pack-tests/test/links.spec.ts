import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: root })
  .toString()
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('.changeset/') && existsSync(join(root, path)));

/** What a page says outside of its code. */
const proseOf = (path: string): string =>
  readFileSync(path, 'utf8')
    .replaceAll(/^ *(```|~~~)[^]*?^ *\1/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** The anchors that GitHub gives to headings, by their texts. */
function anchorsOf(path: string): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(path).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) => {
    const text = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** Links of a page to other files, or places in them, that are not there. */
function brokenLinksOf(page: string): string[] {
  const path = join(root, page);
  const links = [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file, anchor] = link.split('#') as [string, string?];
    const target = file === '' ? path : join(dirname(path), decodeURI(file));
    if (!existsSync(target) || relative(root, target).startsWith('..')) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
}

describe('The links of every page', () => {
  it.each(pages)('lead to files and headings of this repository: %s', (page) => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  it('are found', () => {
    expect(pages.length).toBeGreaterThan(20);
    expect(pages).toContain('README.md');
  });
});
