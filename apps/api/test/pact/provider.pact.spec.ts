import type { RequestHandler } from 'express';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { BookingsProvider } from './bookings-provider.js';
import { localConsumers, localPacts, localPactsOf } from './local-pacts.js';
import { answering, without } from './sabotage.js';
import { askedFor, verify } from './verify.js';

describe('The contracts of the consumers', () => {
  it.each(localConsumers)('are there: run `pnpm exec turbo run pact:consumer` first: %s', (consumer) => {
    expect(localPactsOf(consumer)).not.toEqual([]);
  });

  it('are kept by the service', async () => {
    await expect(verify(new BookingsProvider(), askedFor)).resolves.toBeDefined();
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
      await expect(
        verify(new BookingsProvider(guarded), { pactUrls: localPacts, requestFilter: withToken }),
      ).resolves.toBeDefined();
      await expect(verify(new BookingsProvider(guarded), { pactUrls: localPacts })).rejects.toThrow(/Ver\w+ failed/);
    } finally {
      file.remove();
    }
  });

  it.each(localConsumers)('are broken by a service that renames a member by itself: %s', async (consumer) => {
    const renaming = answering(({ headers, body }) => ({ headers, body: body.replaceAll('"booking_id"', '"id"') }));
    const verified = verify(new BookingsProvider({ middleware: renaming }), { pactUrls: localPactsOf(consumer) });
    await expect(verified).rejects.toThrow(/Ver\w+ failed/);
  });

  it('are broken for the one consumer that needs what a service leaves out by itself', async () => {
    const noLink = answering(({ headers, body }) => ({ headers: without('Link', headers), body }));
    const client = { pactUrls: localPactsOf('packages/client') };
    const frontDesk = { pactUrls: localPactsOf('examples/front-desk') };
    await expect(verify(new BookingsProvider({ middleware: noLink }), client)).resolves.toBeDefined();
    await expect(verify(new BookingsProvider({ middleware: noLink }), frontDesk)).rejects.toThrow(/Ver\w+ failed/);
  });
});
