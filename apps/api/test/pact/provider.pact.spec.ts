import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Verifier } from '@pact-foundation/pact';
import type { RequestHandler, Response } from 'express';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { BookingsProvider } from './bookings-provider.js';

const folder = new URL('../../../../packages/client/pacts/', import.meta.url);
const pacts = readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder)));

interface Pact {
  interactions: { description: string; providerStates?: { name: string }[] }[];
}

/** @param requestFilter changes every request on its way to the service */
async function verify(provider: BookingsProvider, requestFilter?: RequestHandler): Promise<string> {
  const verifier = new Verifier({
    provider: 'bookings-service',
    providerBaseUrl: await provider.start(),
    pactUrls: pacts,
    stateHandlers: provider.stateHandlers,
    ...(requestFilter !== undefined && { requestFilter }),
    logLevel: 'error',
  });
  try {
    return await verifier.verifyProvider();
  } finally {
    await provider.stop();
  }
}

describe('The contracts of the consumers', () => {
  it('are there: run `pnpm --filter @booking-service/client pact:consumer` first', () => {
    expect(pacts.length).toBeGreaterThan(0);
  });

  // The verifier itself only warns about a state that it cannot set up.
  it.each(pacts)('name only states that the provider can be put in: %s', (path) => {
    const { interactions } = JSON.parse(readFileSync(path, 'utf8')) as Pact;
    const states = interactions.flatMap(({ providerStates = [] }) => providerStates.map(({ name }) => name));
    expect(states).not.toEqual([]);
    for (const state of states) expect(Object.keys(new BookingsProvider().stateHandlers)).toContain(state);
  });

  it('are kept by the service', async () => {
    await expect(verify(new BookingsProvider())).resolves.toBeDefined();
  });

  it('are kept by a service that asks for a token, which is no part of them, and broken without one', async () => {
    const { token, line } = anApiKey('consumer');
    const file = new ApiKeysFile({ token, line });
    const guarded = { env: { AUTH_API_KEYS_FILE: file.path }, callerId: 'api-key consumer' };
    const withToken: RequestHandler = (request, _response, next) => {
      request.headers.authorization = `Bearer ${token}`;
      next();
    };
    try {
      await expect(verify(new BookingsProvider(guarded), withToken)).resolves.toBeDefined();
      await expect(verify(new BookingsProvider(guarded))).rejects.toThrow(/Ver\w+ failed/);
    } finally {
      file.remove();
    }
  });

  it('are broken by a service that renames a member by itself', async () => {
    await expect(verify(new BookingsProvider({ middleware: renaming('booking_id', 'id') }))).rejects.toThrow(
      /Ver\w+ failed/,
    );
  });
});

function renaming(member: string, renamed: string): RequestHandler {
  return (_request, response, next) => {
    const end = response.end.bind(response) as (body?: string) => Response;
    response.end = (body?: unknown) => {
      if (typeof body !== 'string') return end();
      const changed = body.replaceAll(`"${member}"`, `"${renamed}"`);
      response.setHeader('Content-Length', Buffer.byteLength(changed));
      return end(changed);
    };
    next();
  };
}
