import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters } from 'jose';
import { listen } from 'testing';

export interface SigningKey {
  readonly privateKey: CryptoKey;
  /** The public half, as the issuer publishes it. */
  readonly jwk: JWK;
  readonly alg: string;
  readonly kid: string;
}

export const AUDIENCE = 'https://bookings.example';

/** A key pair that no issuer has published. */
export async function aSigningKey(alg = 'ES256', kid: string = randomUUID()): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, alg, kid };
}

/** An OpenID Connect issuer on 127.0.0.1: its metadata, its keys, and the tokens that it signs. */
export class TestIssuer {
  readonly requested: string[] = [];
  published: SigningKey[] = [];
  keysPath = '/jwks';
  /** Responds in place of the issuer, if set. */
  instead: ((response: ServerResponse) => void) | undefined;
  metadata: Record<string, unknown> = {};
  url!: string;
  stop!: () => Promise<void>;
  private readonly server = createServer(({ url = '' }, response) => {
    this.requested.push(url);
    if (this.instead !== undefined) this.instead(response);
    else if (url === '/.well-known/openid-configuration') response.end(JSON.stringify(this.wholeMetadata()));
    else if (url === this.keysPath) response.end(JSON.stringify({ keys: this.published.map(({ jwk }) => jwk) }));
    else response.writeHead(404).end();
  });

  static async start(): Promise<TestIssuer> {
    const issuer = new TestIssuer();
    ({ url: issuer.url, close: issuer.stop } = await listen(issuer.server));
    issuer.published = [await aSigningKey()];
    return issuer;
  }

  get settings(): Record<string, string> {
    return { AUTH_OIDC_ISSUER: this.url, AUTH_OIDC_AUDIENCE: AUDIENCE };
  }

  /**
   * A token with every right, unless the claims or the header say otherwise.
   *
   * @param claims undefined to omit one; times are seconds from now
   * @param key by default the first that is published
   */
  async token(
    claims: Record<string, unknown> = {},
    header: Partial<JWTHeaderParameters> = {},
    key?: SigningKey,
  ): Promise<string> {
    const { privateKey, alg, kid } = key ?? this.published[0]!;
    const whole = { iss: this.url, aud: AUDIENCE, sub: 'ada', scope: 'bookings:read bookings:write', exp: 60, iat: 0 };
    const now = Math.floor(Date.now() / 1000);
    const payload = JSON.stringify({ ...whole, ...claims }, (name, value: unknown) =>
      typeof value === 'number' && ['exp', 'iat', 'nbf'].includes(name) ? now + value : value,
    );
    return new CompactSign(new TextEncoder().encode(payload))
      .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
      .sign(privateKey);
  }

  private wholeMetadata(): Record<string, unknown> {
    return { issuer: this.url, jwks_uri: `${this.url}${this.keysPath}`, ...this.metadata };
  }
}
