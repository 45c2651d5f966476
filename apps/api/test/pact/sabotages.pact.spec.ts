import { BookingsProvider } from './bookings-provider.js';
import { localConsumers, localPactsOf } from './local-pacts.js';
import { changing, without } from './sabotage.js';
import { BROKEN, verify } from './verify.js';

describe('The contracts of the consumers', () => {
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
