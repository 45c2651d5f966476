import { createHash } from 'node:crypto';
import { exportSPKI, importJWK, type JWTHeaderParameters, UnsecuredJWT } from 'jose';
import { until } from 'testing';
import { type RunningApp, startApp } from '../support/start-app.js';
import { aSigningKey, AUDIENCE, type SigningKey, TestIssuer } from '../support/test-issuer.js';

let issuer: TestIssuer;
let running: RunningApp;
let stranger: SigningKey;

beforeAll(async () => {
  issuer = await TestIssuer.start();
  for (const alg of ['RS256', 'PS256', 'EdDSA', 'RS512']) issuer.published.push(await aSigningKey(alg));
  stranger = await aSigningKey();
  running = await startApp({ ...issuer.settings, LOG_LEVEL: 'debug' });
});
afterAll(async () => {
  await running.close();
  await issuer.stop();
});

interface Outcome {
  status: number;
  detail: string;
}

async function listWith(token: string): Promise<Outcome> {
  const response = await fetch(`${running.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } });
  const { detail = '' } = (await response.json()) as { detail?: string };
  return { status: response.status, detail };
}

const keyFor = (alg: string): SigningKey => issuer.published.find((key) => key.alg === alg)!;

const JWT = { typ: 'JWT' };
const NO_TYPE = { typ: undefined as unknown as string };

describe('A token of the issuer is accepted', () => {
  it.each<[string, Record<string, unknown>, Partial<JWTHeaderParameters>?]>([
    ['as an access token (RFC 9068)', {}],
    ['without `iat`', { iat: undefined }],
    ['less than 30 seconds after its expiry', { exp: -20 }],
    ['less than 30 seconds before it becomes valid', { nbf: 20, iat: 20 }],
    ['as Keycloak makes it', { aud: ['account', AUDIENCE], typ: 'Bearer', scope: 'profile bookings:read' }, JWT],
    [
      'as Auth0 makes it',
      { aud: [AUDIENCE, 'https://a.auth0.com/userinfo'], scope: 'openid bookings:read', azp: 'desk' },
      JWT,
    ],
    ['as Microsoft Entra ID makes it', { ver: '2.0', scope: undefined, scp: 'User.Read bookings:read' }, JWT],
    ['as Okta makes it', { ver: 1, cid: 'desk', scope: undefined, scp: ['openid', 'bookings:read'] }, NO_TYPE],
    ['as Amazon Cognito makes it', { token_use: 'access', scope: `${AUDIENCE}/bookings:read` }, NO_TYPE],
  ])('%s', async (...[, claims, header]) => {
    expect(await listWith(await issuer.token(claims, header))).toMatchObject({ status: 200 });
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('signed with %s', async (alg) => {
    expect(await listWith(await issuer.token({}, {}, keyFor(alg)))).toMatchObject({ status: 200 });
  });
});

describe('A token of the issuer is rejected with a reason', () => {
  it.each<[string, Record<string, unknown>, RegExp, Partial<JWTHeaderParameters>?]>([
    ['after it expired', { exp: -40 }, /expired/],
    ['without an expiry', { exp: undefined }, /`exp`/],
    ['before it is valid', { nbf: 40 }, /`nbf`/],
    ['if it was issued in the future', { iat: 40 }, /`iat`/],
    ['if it names another issuer', { iss: 'https://other.example' }, /`iss` is missing or not `http:/],
    ['for another audience', { aud: 'https://other.example' }, /`aud` is missing or not `https:.*example`/],
    ['if Keycloak made it without the client scope basic', { sub: undefined, typ: 'Bearer' }, /`sub`/, JWT],
    ['with an empty subject', { sub: '' }, /`sub`/],
    ['as a logout token', {}, /`typ`/, { typ: 'logout+jwt' }],
    ['with a list of types', {}, /`typ`/, { typ: ['JWT'] as unknown as string }],
  ])('%s', async (...[, claims, detail, header]) => {
    const outcome = await listWith(await issuer.token(claims, header));
    expect(outcome).toEqual({ status: 401, detail: expect.stringMatching(detail) as unknown });
  });
});

describe('A token allows nothing', () => {
  it.each<[string, Record<string, unknown>]>([
    ['without a scope, as an ID token of Google', { scope: undefined, azp: AUDIENCE, email: 'ada@example.com' }],
    ['with the scope of another audience', { scope: 'https://other.example/bookings:read' }],
    ['with a scope that only begins like the right one', { scope: 'bookings:readall bookings' }],
    ['with a scope that is not a string', { scope: { 'bookings:read': true } }],
  ])('%s', async (_, claims) => {
    expect(await listWith(await issuer.token(claims))).toMatchObject({ status: 403 });
  });

  it('without the right scope: response and log say what is required, and the log names the caller by a digest', async () => {
    const { detail } = await listWith(await issuer.token({ sub: 'ada-c0ffee', scope: 'c0ffee bookings:write' }));
    expect(detail).toBe('The operation requires `bookings:read`. The token has `bookings:write`.');
    await until(() => running.logged.some((line) => line.includes(`"reason":"${detail}"`)));
    const digest = createHash('sha256').update(`${issuer.url} ada-c0ffee`).digest('hex').slice(0, 16);
    expect(running.logged.join('')).toContain(`"caller":"oidc ${digest}"`);
    expect(running.logged.join('')).not.toContain('c0ffee');
  });
});

describe('A token that the issuer did not sign is rejected', () => {
  const NOT_SIGNED = { status: 401, detail: expect.stringContaining('not signed as this service requires') as unknown };

  it.each<[string, () => Promise<string>]>([
    ['if another key with the same id did', async () => issuer.token({}, { kid: issuer.published[0]!.kid }, stranger)],
    ['if a key that is not published did', async () => issuer.token({}, {}, stranger)],
    ['if a key in its own header did', async () => issuer.token({}, { jwk: stranger.jwk }, stranger)],
    [
      'if it has HS256 and the public key as the secret',
      async () => {
        const [key] = issuer.published as [SigningKey];
        const privateKey = Buffer.from(await exportSPKI((await importJWK(key.jwk)) as never)) as never;
        return issuer.token({}, {}, { ...key, alg: 'HS256', privateKey });
      },
    ],
    [
      'if it has no signature',
      async () => new UnsecuredJWT({ scope: 'bookings:read' }).setIssuer(issuer.url).setAudience(AUDIENCE).encode(),
    ],
    [
      'if a published key did with an algorithm that is not accepted',
      async () => issuer.token({}, {}, keyFor('RS512')),
    ],
  ])('%s', async (_, tokenOf) => {
    expect(await listWith(await tokenOf())).toEqual(NOT_SIGNED);
  });

  it('and the log has the reason', async () => {
    const outcome = await listWith('a.b.c');
    expect(outcome).toEqual(NOT_SIGNED);
    await until(() => running.logged.some((line) => line.includes(`"reason":"${outcome.detail}"`)));
  });

  it('and no key is fetched from a URL in a token', async () => {
    const evil = await TestIssuer.start();
    try {
      evil.published = [stranger];
      const header = { jku: `${evil.url}/jwks`, x5u: `${evil.url}/jwks` };
      expect(await listWith(await issuer.token({}, header, stranger))).toEqual(NOT_SIGNED);
      expect(await listWith(await issuer.token({ iss: evil.url }, header, stranger))).toMatchObject({ status: 401 });
      expect(evil.requested).toEqual([]);
    } finally {
      await evil.stop();
    }
  });
});

describe('The settings', () => {
  it('say which claims hold scopes, and which algorithms are accepted', async () => {
    const choosy = await startApp({
      ...issuer.settings,
      AUTH_OIDC_SCOPE_CLAIMS: 'roles, permissions',
      AUTH_OIDC_ALGORITHMS: 'ES256, RS512',
    });
    const statusOf = async (claims: Record<string, unknown>, alg = 'ES256'): Promise<number> => {
      const token = await issuer.token({ scope: undefined, ...claims }, {}, keyFor(alg));
      return (await fetch(`${choosy.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    const permissions = ['bookings:read'];
    try {
      expect(await statusOf({ roles: ['Reader', 'bookings:read'] })).toBe(200);
      expect(await statusOf({ roles: ['of desks bookings:read'] })).toBe(403);
      expect(await statusOf({ permissions })).toBe(200);
      expect(await statusOf({ scope: 'bookings:read', scp: permissions })).toBe(403);
      expect(await statusOf({ permissions }, 'RS512')).toBe(200);
      for (const alg of ['RS256', 'PS256', 'EdDSA']) expect(await statusOf({ permissions }, alg)).toBe(401);
    } finally {
      await choosy.close();
    }
  });
});
