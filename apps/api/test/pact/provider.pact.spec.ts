import { readContract } from 'verify-contract';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { BookingsProvider } from './bookings-provider.js';
import { localConsumers, localPactsOf, localPactsWith } from './local-pacts.js';
import { BROKEN, verify } from './verify.js';

describe('The contracts of the consumers', () => {
  it.each(localConsumers)('are there: run `pnpm turbo run pact:consumer` first: %s', (consumer) => {
    const pacts = localPactsOf(consumer);
    expect(pacts.length).toBeGreaterThan(0);
    for (const path of pacts) expect(() => readContract(path)).not.toThrow();
  });

  it('are kept by the service', async () => {
    const pactUrls = localPactsWith('bookings-service');
    process.stdout.write(await verify(new BookingsProvider(), { pactUrls }));
  });

  it('are kept by a service that requires a token, which is no part of them, and broken without one', async () => {
    const { token, line } = anApiKey('consumer');
    const file = new ApiKeysFile({ token, line });
    const guarded = { env: { AUTH_API_KEYS_FILE: file.path }, callerId: 'api-key consumer' };
    const withToken = {
      pactUrls: localPactsWith('bookings-service'),
      customProviderHeaders: { Authorization: `Bearer ${token}` },
    };
    try {
      await expect(verify(new BookingsProvider(guarded), withToken)).resolves.toContain('OK');
      await expect(
        verify(new BookingsProvider(guarded), { pactUrls: localPactsOf('examples/front-desk') }),
      ).rejects.toThrow(BROKEN);
    } finally {
      file.remove();
    }
  });
});
