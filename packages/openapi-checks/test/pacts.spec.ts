import { Comparator } from '@pactflow/openapi-pact-comparator';
import { damaged, documentText, readPacts } from './document.js';

/** What a comparator finds where the pact asks for something that the document does not promise. */
async function faultsOf(pactText: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { code, message } of new Comparator(JSON.parse(documentText) as object).compare(
    JSON.parse(pactText) as object,
  )) {
    found.push(`${code}: ${message}`);
  }
  return found;
}

const pacts = readPacts();

describe('The pacts', () => {
  it('are those of the client, at least', () => {
    expect(pacts.map(({ path }) => path)).toContain('packages/client/pacts/bookings-client-bookings-service.json');
  });

  it.each(pacts)('$path asks for nothing but what the OpenAPI document promises', async ({ text }) => {
    const { interactions } = JSON.parse(text) as { interactions: unknown[] };
    expect(interactions.length).toBeGreaterThan(0);
    expect(await faultsOf(text)).toEqual([]);
  });

  it.each([
    ['a path', '"/v1/bookings"', '"/v1/reservations"', /request.path-or-method.unknown/],
    ['a method', '"method": "POST"', '"method": "PUT"', /request.path-or-method.unknown/],
    ['a status', '"status": 409', '"status": 418', /response.status.unknown/],
    // A booking may have any member beside those of the service, so that there only a wrong type can be seen.
    [
      'a type of a member of a booking',
      '"booking_id": "019',
      '"booking_id": 0.19, "x": "',
      /response.body.incompatible/,
    ],
    ['a member of a page', '"next_cursor"', '"next_page"', /response.body.incompatible/],
    ['a member of a problem', '"conflicting_slot"', '"conflict"', /response.body.incompatible/],
    ['a member of a slot', '"resource_id"', '"room"', /body.incompatible/],
    ['a type of problem', 'bookings:slot-taken', 'bookings:slot-token', /response.body.incompatible/],
    ['a content type', 'application/problem+json', 'text/plain', /response.content-type.incompatible/],
  ])('would be refused for %s that the document does not have', async (_what, from, to, fault) => {
    const client = pacts.find(({ path }) => path.startsWith('packages/client/'))!;
    expect((await faultsOf(damaged(client.text, from, to))).join('\n')).toMatch(fault);
  });
});
