import { aSecret } from 'testing';
import { parseWebhooks } from '../../src/events/webhooks-file.js';

const good = { name: 'billing', url: 'https://hooks.example/in', secrets: [aSecret()], from: 'now' };

function parse(...endpoints: unknown[]) {
  return parseWebhooks(JSON.stringify({ endpoints }), false);
}

describe('A file of endpoints', () => {
  it('has names, URLs, one secret or two, a beginning and perhaps a prefix', () => {
    const secrets = [aSecret(24), aSecret(64)];
    const { endpoints, errors } = parse(good, {
      ...good,
      name: 'doors.2_a-b',
      secrets,
      from: 'first',
      resource_id_prefix: 'room-',
    });
    expect(errors).toEqual([]);
    expect(endpoints).toMatchObject([
      { name: 'billing', url: good.url, from: 'now', prefix: '' },
      { name: 'doors.2_a-b', from: 'first', prefix: 'room-' },
    ]);
    expect(endpoints[1]!.secrets).toEqual(secrets.map((secret) => Buffer.from(secret.slice(6), 'base64')));
  });

  it.each([
    ['no name', { name: undefined }, 'entry 2: `name` must be 1 to 64'],
    ['a name with a space', { name: 'front desk' }, 'entry 2 (front desk): `name` must be 1 to 64'],
    ['a URL that is none', { url: 'hooks' }, 'entry 2 (doors): `url` must be a URL'],
    [
      'http',
      { url: 'http://hooks.example' },
      'entry 2 (doors): `url` must be https (WEBHOOKS_ALLOW_PRIVATE allows http)',
    ],
    ['another scheme', { url: 'ftp://hooks.example' }, 'entry 2 (doors): `url` must be https'],
    ['a password', { url: 'https://me:secret@hooks.example' }, 'entry 2 (doors): `url` must not contain a user'],
    ['no secret', { secrets: [] }, 'entry 2 (doors): `secrets` must be one or two'],
    ['three secrets', { secrets: [aSecret(), aSecret(), aSecret()] }, 'entry 2 (doors): `secrets` must be one or two'],
    ['a short secret', { secrets: [aSecret(23)] }, 'entry 2 (doors): `secrets` must be one or two'],
    ['a long secret', { secrets: [aSecret(65)] }, 'entry 2 (doors): `secrets` must be one or two'],
    [
      'a secret without its padding',
      { secrets: [aSecret(25).replaceAll('=', '')] },
      'entry 2 (doors): `secrets` must be',
    ],
    [
      'a secret with too much padding',
      { secrets: [`${aSecret(24)}==`] },
      'entry 2 (doors): `secrets` must be one or two',
    ],
    ['a bare secret', { secrets: [aSecret().slice(6)] }, 'entry 2 (doors): `secrets` must be one or two'],
    ['another beginning', { from: 'yesterday' }, 'entry 2 (doors): `from` must be "now" or "first"'],
    ['an empty prefix', { resource_id_prefix: '' }, 'entry 2 (doors): `resource_id_prefix` must be a string'],
    ['a member that is not known', { prefix: 'room-' }, 'entry 2 (doors): its members must be `name`, `url`'],
    ['a name that is there', { name: 'billing' }, 'entry 2 (billing): another entry has the same name'],
  ])('goes on without an entry with %s', (_, wrong, error) => {
    const last = { ...good, name: 'last' };
    const { endpoints, errors } = parse(good, { ...good, name: 'doors', ...wrong }, last);
    expect(endpoints.map(({ name }) => name)).toEqual(['billing', 'last']);
    expect(errors).toMatchObject([{ message: expect.stringContaining(error) }]);
    // A secret that is wrong is one all the same.
    expect(JSON.stringify(errors)).not.toMatch(/whsec_[A-Za-z0-9+/]{8}|me:secret/);
  });

  it.each([null, 7, 'billing', []])('goes on without the entry %j', (entry) => {
    const { endpoints, errors } = parse(entry, good);
    expect(endpoints.map(({ name }) => name)).toEqual(['billing']);
    expect(errors).toHaveLength(1);
  });

  it.each(['', 'endpoints: []', '[]', '{}', '{"endpoints":{}}', '{"endpoints":[],"more":1}'])('is not %j', (text) => {
    expect(() => parseWebhooks(text, false)).toThrow('it must be {"endpoints": [...]} with at most 16 of them');
  });

  it('has 16 endpoints at most', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ ...good, name: `n${index}` }));
    expect(parse(...many(16)).endpoints).toHaveLength(16);
    expect(() => parse(...many(17))).toThrow('at most 16 of them');
  });
});
