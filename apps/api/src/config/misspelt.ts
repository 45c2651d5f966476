/** Units at the end of a name, which are easily forgotten. */
const UNITS = new Set(['MS', 'SECONDS', 'MIB']);

/**
 * Whether a name differs from a known one by case, underscores, one letter or two swapped letters, or lacks its unit
 * or, for an AUTH_ name, any one word. Names below five letters never count.
 */
export function isMisspelt(name: string, known: string): boolean {
  const letters = name.replaceAll('_', '').toUpperCase();
  const words = known.split('_');
  const mayLack = (word: string): boolean => known.startsWith('AUTH_') || UNITS.has(word);
  const shorter = words.flatMap((word, n) => (mayLack(word) ? words.toSpliced(n, 1).join('') : []));
  return shorter.includes(letters) || isNear(letters, words.join(''));
}

/** Whether two texts differ in at most one letter, or in two neighbouring letters that are swapped. */
function isNear(one: string, other: string): boolean {
  const shared = Math.min(one.length, other.length);
  // A short name is near too many others, as `PORT` is near `PORTS`.
  if (shared < 5) return false;
  let start = 0;
  while (start < shared && one[start] === other[start]) start++;
  let end = 0;
  while (end < shared - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  return Math.max(left.length, right.length) <= 1 || (left.length === 2 && left === right[1]! + right[0]!);
}
