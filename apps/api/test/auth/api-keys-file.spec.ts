import { digestOf, parseApiKeys } from '../../src/auth/api-keys.js';
import { anApiKey } from '../support/api-keys.js';

const { token, line } = anApiKey('desk');
const DIGEST = line.split(' ')[1]!;

describe('A file of API keys', () => {
  it('has a key on each line, beside empty lines and comments', () => {
    const reader = anApiKey('kiosk.2_a-b', 'bookings:read');
    const text = ['# front of house', line, '', '  # and', `  ${reader.line}\t`].join('\r\n');
    expect(parseApiKeys(text)).toEqual([
      { name: 'desk', digest: digestOf(token), scopes: ['bookings:read', 'bookings:write'] },
      { name: 'kiosk.2_a-b', digest: digestOf(reader.token), scopes: ['bookings:read'] },
    ]);
  });

  it('may have several tokens of one caller, and white space and digits as one likes', () => {
    const text = `desk \t ${DIGEST.replace(/[a-f]/g, (digit) => digit.toUpperCase())}   bookings:write\n${anApiKey('desk').line}`;
    expect(parseApiKeys(text).map(({ name }) => name)).toEqual(['desk', 'desk']);
    expect(parseApiKeys(text)[0]!.digest).toEqual(digestOf(token));
  });

  it('may be empty: then no token is good', () => {
    expect(parseApiKeys('')).toEqual([]);
  });

  it.each([
    ['the token itself', `desk ${token} bookings:read`],
    ['a digest of another kind', `desk md5:${'0'.repeat(32)} bookings:read`],
    ['a digest that is too short', `desk ${DIGEST.slice(0, -1)} bookings:read`],
    ['a digest that is too long', `desk ${DIGEST}0 bookings:read`],
    ['no name', `${DIGEST} bookings:read`],
    ['a name of 65 characters', `${'n'.repeat(65)} ${DIGEST} bookings:read`],
    ['a name with a colon', `de:sk ${DIGEST} bookings:read`],
    ['no scope', `desk ${DIGEST}`],
    ['something after the scopes', `${line} 2027-01-01`],
    ['a line that is cut off', line.slice(0, 40)],
  ])('is rejected with %s', (_, bad) => {
    expect(() => parseApiKeys(`# comment\n${bad}`)).toThrow(/^line 2 is not NAME sha256:64-HEX-DIGITS SCOPE,...$/);
  });

  it.each(['bookings:delete', 'bookings:read,', 'bookings:read,bookings:read', 'bookings:read,*', 'Bookings:Read'])(
    'is rejected with the scopes %s',
    (scopes) => {
      expect(() => parseApiKeys(`desk ${DIGEST} ${scopes}`)).toThrow(
        /^the scopes of line 1 are not bookings:read or bookings:write, each once$/,
      );
    },
  );

  it('is rejected with one token twice, whose caller would be ambiguous', () => {
    const text = `${line}\nkiosk ${DIGEST.toUpperCase().replace('SHA256', 'sha256')} bookings:read`;
    expect(() => parseApiKeys(text)).toThrow(/^line 2 has the token of a line before$/);
  });

  it('is rejected with every fault at once, without the content of any line', () => {
    const read = (): unknown => parseApiKeys(`desk ${token} bookings:read\n${line}\n${line}\nkiosk`);
    expect(read).toThrow(/^line 1 is not .*; line 3 has .*; line 4 is not /);
    expect(read).toThrow(new RegExp(`^((?!${token}|${DIGEST}).)*$`));
    const wrongFile = (): unknown => parseApiKeys('wrong\n'.repeat(1_000));
    expect(wrongFile).toThrow(/^(?:line \d+ is not [^;]*; ){20}and 980 more$/);
  });
});
