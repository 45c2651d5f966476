import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { BookingsProvider } from './bookings-provider.js';
import { localConsumers, localPacts, localPactsOf } from './local-pacts.js';
import { changing, without } from './sabotage.js';
import { askedFor, BROKEN, verify } from './verify.js';

describe('The contracts of the consumers', () => {
  it.each(localConsumers)('are there: run `pnpm exec turbo run pact:consumer` first: %s', (consumer) => {
    expect(localPactsOf(consumer)).not.toEqual([]);
  });

  it('are kept by the service', async () => {
    process.stdout.write(await verify(new BookingsProvider(), askedFor));
  });

  it('are kept by a service that asks for a token, which is no part of them, and broken without one', async () => {
    const { token, line } = anApiKey('consumer');
    const file = new ApiKeysFile({ token, line });
    const guarded = { env: { AUTH_API_KEYS_FILE: file.path }, callerId: 'api-key consumer' };
    const withToken = { pactUrls: localPacts, customProviderHeaders: { Authorization: `Bearer ${token}` } };
    try {
      await expect(verify(new BookingsProvider(guarded), withToken)).resolves.toContain('OK');
      await expect(
        verify(new BookingsProvider(guarded), { pactUrls: localPactsOf('examples/front-desk') }),
      ).rejects.toThrow(BROKEN);
    } finally {
      file.remove();
    }
  });

  it.each(localConsumers)('are broken by a service that renames a member by itself: %s', async (consumer) => {
    const renaming = changing(({ headers, body }) => ({ headers, body: body.replaceAll('"booking_id"', '"id"') }));
    const verified = verify(new BookingsProvider({ middleware: renaming }), { pactUrls: localPactsOf(consumer) });
    await expect(verified).rejects.toThrow(BROKEN);
  });

  it('are broken for the one consumer that needs what a service leaves out by itself', async () => {
    const noLink = changing(({ headers, body }) => ({ headers: without('Link', headers), body }));
    const client = { pactUrls: localPactsOf('packages/client') };
    const frontDesk = { pactUrls: localPactsOf('examples/front-desk') };
    await expect(verify(new BookingsProvider({ middleware: noLink }), client)).resolves.toContain('OK');
    await expect(verify(new BookingsProvider({ middleware: noLink }), frontDesk)).rejects.toThrow(BROKEN);
  });
});
