import { BookingsProvider } from './bookings-provider.js';
import { localConsumers, localPactsOf } from './local-pacts.js';
import { answering, without } from './sabotage.js';
import { askedFor, verify } from './verify.js';

describe('The contracts of the consumers', () => {
  it.each(localConsumers)('are there: run `pnpm exec turbo run pact:consumer` first: %s', (consumer) => {
    expect(localPactsOf(consumer)).not.toEqual([]);
  });

  it('are kept by the service', async () => {
    await expect(verify(new BookingsProvider(), askedFor)).resolves.toBeDefined();
  });

  it.each(localConsumers)('are broken by a service that renames a member by itself: %s', async (consumer) => {
    const renaming = answering(({ headers, body }) => ({ headers, body: body.replaceAll('"booking_id"', '"id"') }));
    const verified = verify(new BookingsProvider(renaming), { pactUrls: localPactsOf(consumer) });
    await expect(verified).rejects.toThrow(/Ver\w+ failed/);
  });

  it('are broken for the one consumer that needs what a service leaves out by itself', async () => {
    const noLink = answering(({ headers, body }) => ({ headers: without('Link', headers), body }));
    const client = { pactUrls: localPactsOf('packages/client') };
    const frontDesk = { pactUrls: localPactsOf('examples/front-desk') };
    await expect(verify(new BookingsProvider(noLink), client)).resolves.toBeDefined();
    await expect(verify(new BookingsProvider(noLink), frontDesk)).rejects.toThrow(/Ver\w+ failed/);
  });
});
