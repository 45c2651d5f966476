import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { JWK } from 'jose';
import { type RunningApp, startApp } from '../support/start-app.js';
import { aSigningKey, type SigningKey, TestIssuer } from '../support/test-issuer.js';

const { jest } = import.meta;

const good = await aSigningKey('ES256');
const rsa = await aSigningKey('RS256');
const shortRsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
const privateKey: JsonWebKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

/** Keys that no token can be verified with, each with whether its issuer should hear of it. */
const keys: [string, 'logged' | 'ignored', string, unknown][] = [
  ['an RSA key of 1,024 bits', 'logged', 'RS256', shortRsa],
  ['an RSA key without its modulus', 'logged', 'RS256', { ...rsa.jwk, n: undefined }],
  ['an RSA key whose modulus is no base64url', 'logged', 'RS256', { ...rsa.jwk, n: '*' }],
  ['an RSA key whose modulus is no text', 'logged', 'RS256', { ...rsa.jwk, n: 7 }],
  ['an RSA key with an even exponent', 'ignored', 'RS256', { ...rsa.jwk, e: 'Ag' }],
  ['a point that is not on its curve', 'logged', 'ES256', { ...good.jwk, x: good.jwk.y }],
  ['a point without one coordinate', 'logged', 'ES256', { ...good.jwk, y: undefined }],
  ['a private key', 'logged', 'ES256', privateKey],
  ['an Edwards key of no length', 'logged', 'EdDSA', { kty: 'OKP', crv: 'Ed25519', x: '' }],
  ['another curve than the algorithm has', 'ignored', 'ES256', { ...good.jwk, crv: 'P-384' }],
  ['an unknown type', 'ignored', 'RS256', { kty: 'XXX', n: 'AQAB' }],
  ['a type that is no text', 'ignored', 'RS256', { kty: ['RSA'] }],
  ['a shared secret', 'ignored', 'RS256', { kty: 'oct', k: 'c2VjcmV0' }],
  ['a key for encryption', 'ignored', 'RS256', { ...rsa.jwk, use: 'enc' }],
  ['a key that may only sign', 'ignored', 'RS256', { ...rsa.jwk, use: undefined, key_ops: ['sign'] }],
  ['a key of another algorithm', 'ignored', 'RS256', { ...rsa.jwk, alg: 'RS512' }],
  ['no members', 'ignored', 'RS256', {}],
  ['null', 'ignored', 'RS256', null],
  ['text', 'ignored', 'RS256', 'RSA'],
];

let issuer: TestIssuer;
let running: RunningApp;

beforeAll(async () => {
  issuer = await TestIssuer.start();
  const bad = keys.map(([name, , , jwk]) => {
    const named = typeof jwk === 'object' && jwk !== null ? { ...jwk, kid: name } : jwk;
    return { ...rsa, kid: name, jwk: withoutAlgorithm(named as JWK, name) };
  });
  issuer.published = [good, ...bad];
  running = await startApp(issuer.settings);
});
afterAll(async () => {
  await running.close();
  await issuer.stop();
});
afterEach(() => jest.restoreAllMocks());

/** Else no token of RS256 would find a key that says RS512, whatever else is wrong with it. */
function withoutAlgorithm(jwk: JWK, name: string): JWK {
  return typeof jwk === 'object' && jwk !== null && !name.includes('algorithm') ? { ...jwk, alg: undefined! } : jwk;
}

async function statusWith(token: string): Promise<number> {
  return (await fetch(`${running.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } })).status;
}

/** What anyone can make up: it names a key and is not signed with it. */
function forged(kid: string, alg: string): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return [encode({ alg, kid, typ: 'at+jwt' }), encode({ sub: 'eve' }), 'AAAA'].join('.');
}

const linesAbout = (kid: string): string[] =>
  running.logged.filter((line) => line.includes(`The key ${kid} of `) && line.includes('cannot be used'));

describe('A token that names a key of the issuer', () => {
  it.each(keys)('that is %s is rejected, and the key is %s once', async (name, isLogged, alg) => {
    const statuses = new Set<number>();
    for (let each = 0; each < 5; each++) statuses.add(await statusWith(forged(name, alg)));
    expect([...statuses]).toEqual([401]);
    expect(linesAbout(name)).toHaveLength(isLogged === 'logged' ? 1 : 0);
    expect(await statusWith(await issuer.token({}, {}, good))).toBe(200);
  });
});

describe('Keys that cannot be used', () => {
  it('do not keep the service from an added key, however often they are named', async () => {
    const added: SigningKey = await aSigningKey('ES256');
    issuer.published.push(added);
    const now = performance.now.bind(performance);
    let passed = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    for (passed = 28_000; passed < 32_000; passed += 400) {
      expect(await statusWith(forged('a point that is not on its curve', 'ES256'))).toBe(401);
    }
    expect(await statusWith(await issuer.token({}, {}, added))).toBe(200);
  });
});
