import { RE2JS } from 're2js';

/** What `\s` matches in ECMAScript (ECMA-262, CharacterClassEscape), and what it does not. RE2 knows ASCII alone. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACE =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/** The parts of a pattern that ECMAScript and RE2 read in different ways, and those that begin and end a class. */
const PARTS = /\\u(?<high>d[89ab]..)\\u(?<low>d[c-f]..)|\\(?<escaped>.)|(?<plain>[[\].])/gisu;

/**
 * A pattern of JSON Schema, which is one of ECMAScript with the flag `u`, matched in a time that grows with the
 * length of the text and never faster: RE2 does not backtrack, as the engine of JavaScript does.
 *
 * @throws Error in one line for what no engine can match so (lookarounds, references to groups), for repetitions of
 *   more than 1,000 and for names of properties that RE2 does not have (`\p{Letter}` is `\p{L}` there)
 */
export function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const matcher = compile(pattern);
  // Ajv tells patterns apart by their texts.
  return { test: (text) => matcher.test(text), toString: () => pattern };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(toRe2(pattern)));
  } catch (error) {
    throw new Error(
      `the pattern ${JSON.stringify(pattern)} cannot be matched in linear time: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

function toRe2(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(PARTS, (part, ...rest) => {
    const { high, low, escaped, plain } = rest.at(-1) as Record<string, string | undefined>;
    if (high !== undefined && low !== undefined) {
      const pair = String.fromCharCode(parseInt(high, 16), parseInt(low, 16));
      return `\\x{${pair.codePointAt(0)!.toString(16)}}`;
    }
    if (escaped === 'k') throw new Error('it refers to a group');
    if (escaped === 's') return isInClass ? SPACE : `[${SPACE}]`;
    if (escaped === 'S') return isInClass ? NO_SPACE : `[${NO_SPACE}]`;
    if (plain === '[') isInClass = true;
    if (plain === ']') isInClass = false;
    return plain === '.' && !isInClass ? NO_LINE_END : part;
  });
}
