import { aSecret } from 'testing';
import { parseWebhooks } from '../../src/features/events/webhooks-file.js';

const good = { name: 'billing', url: 'https://hooks.example/in', secrets: [aSecret()] };
const parse = (...endpoints: unknown[]) => parseWebhooks(JSON.stringify({ endpoints }), false);

describe('A file of endpoints', () => {
  it('has names, URLs, one or two secrets, and an optional prefix', () => {
    const secrets = [aSecret(24), aSecret(64)];
    const other = { ...good, name: 'doors.2_a-b', secrets, resource_id_prefix: 'room-' };
    const buffers = secrets.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'));
    expect(parse(good, other)).toMatchObject([
      { name: 'billing', url: good.url, prefix: '' },
      { name: 'doors.2_a-b', secrets: buffers, prefix: 'room-' },
    ]);
  });

  it.each([
    ['no name', { name: undefined }, 'entry 2: name'],
    ['a name with a space', { name: 'front desk' }, 'entry 2: name must be 1 to 64'],
    ['an invalid URL', { url: 'hooks' }, 'entry 2 (doors): url must be a URL'],
    ['plain http', { url: 'http://hooks.example' }, 'url must be https (WEBHOOKS_ALLOW_PRIVATE allows http)'],
    ['another scheme', { url: 'ftp://hooks.example' }, 'url must be https'],
    ['a password', { url: 'https://me:secret@hooks.example' }, 'url must not contain a user or a password'],
    ['no secret', { secrets: [] }, 'entry 2: secrets'],
    ['three secrets', { secrets: [aSecret(), aSecret(), aSecret()] }, 'entry 2: secrets'],
    ['a short secret', { secrets: [aSecret(23)] }, 'secrets 0 must be whsec_ and 24 to 64 bytes'],
    ['a long secret', { secrets: [aSecret(65)] }, 'secrets 0 must be whsec_'],
    ['a secret without its padding', { secrets: [aSecret(25).replaceAll('=', '')] }, 'in padded base64'],
    ['a secret with too much padding', { secrets: [`${aSecret(24)}==`] }, 'secrets 0 must be'],
    ['a bare secret', { secrets: [aSecret().slice(6)] }, 'secrets 0 must be'],
    ['the `from` of earlier previews', { from: 'first' }, 'entry 2: from must be removed: receivers walk the list'],
    ['an empty prefix', { resource_id_prefix: '' }, 'entry 2: resource_id_prefix'],
    ['an unknown member', { prefix: 'room-' }, 'entry 2: Unrecognized key: "prefix"'],
    ['the name of another entry', { name: 'billing' }, 'entry 2 (billing): another entry has the same name'],
  ])('is rejected with %s', (_, wrong, error) => {
    const parsing = () => parse(good, { ...good, name: 'doors', ...wrong });
    expect(parsing).toThrow(error);
    // An invalid secret is confidential too.
    expect(parsing).not.toThrow(/whsec_[A-Za-z0-9+/]{8}|me:secret/);
  });

  it.each(['', 'endpoints: []', '[]', '{}', '{"endpoints":{}}', '{"endpoints":[],"more":1}'])(
    'is rejected: %j',
    (text) => {
      expect(() => parseWebhooks(text, false)).toThrow('it must be {"endpoints": [...]} with at most 16 of them');
    },
  );

  it('has at most 16 endpoints', () => {
    const many = (count: number) => Array.from({ length: count }, (__, n) => ({ ...good, name: `n${n}` }));
    expect(parse(...many(16))).toHaveLength(16);
    expect(() => parse(...many(17))).toThrow('at most 16 of them');
  });
});
