import { Comparator } from '@pactflow/openapi-pact-comparator';
import { damaged, documentText, readPacts } from './document.js';

interface Pact {
  interactions: { description: string; contents?: { content: { type?: string } } }[];
}

interface Media {
  content: Record<string, object>;
}

/** What a comparator finds where the pact expects something that the document does not promise. */
async function faultsOf(pactText: string, document = JSON.parse(documentText) as object): Promise<string[]> {
  const found: string[] = [];
  for await (const { code, message } of new Comparator(document).compare(JSON.parse(pactText) as object)) {
    found.push(`${code}: ${message}`);
  }
  return found;
}

function isOfDeletion(contents: Pact['interactions'][number]['contents']): boolean {
  return contents?.content.type === 'bookings.booking.deleted';
}

/** The same of a pact of events. The comparator knows no webhooks: they are shown to it as responses. */
async function faultsOfEvents(pactText: string): Promise<string[]> {
  const document = JSON.parse(documentText) as { webhooks: Record<string, { post: { requestBody: Media } }> };
  const webhooks = Object.entries(document.webhooks).map(([name, { post }]) => {
    const content = { 'application/json': post.requestBody.content['application/cloudevents+json'] };
    return [`/${name}`, { get: { operationId: name, responses: { 200: { description: '', content } } } }];
  });
  const paths: unknown = Object.fromEntries(webhooks);
  const pact = JSON.parse(pactText) as Pact;
  const headers = { 'Content-Type': ['application/json'] };
  const interactions = pact.interactions.map(({ description, contents }) => ({
    type: 'Synchronous/HTTP',
    description,
    request: { method: 'GET', path: isOfDeletion(contents) ? '/bookingDeleted' : '/bookingCreated' },
    response: { status: 200, headers, body: { ...contents, contentType: 'application/json', encoded: false } },
  }));
  return faultsOf(JSON.stringify({ ...pact, interactions }), { ...document, paths });
}

const [pactsOfEvents, pacts] = [true, false].map((ofEvents) =>
  readPacts().filter(({ path }) => path.endsWith('-events.json') === ofEvents),
) as [ReturnType<typeof readPacts>, ReturnType<typeof readPacts>];

describe('The pacts', () => {
  it('are those of the client, at least', () => {
    const files = (found: typeof pacts) => found.map(({ path }) => path);
    expect(files(pacts)).toContain('packages/client/pacts/bookings-client-bookings-service.json');
    expect(files(pactsOfEvents)).toContain('packages/client/pacts/bookings-client-bookings-service-events.json');
  });

  it.each(pactsOfEvents)('$path expects nothing but what the OpenAPI document says of events', async ({ text }) => {
    expect((JSON.parse(text) as Pact).interactions.length).toBeGreaterThan(0);
    expect(await faultsOfEvents(text)).toEqual([]);
  });

  it.each([
    ['a member of the event', '"sequence"', '"number"'],
    ['a type of event', 'bookings.booking.created', 'bookings.created'],
    ['a form of the sequence', '"sequence": "0', '"sequence": "x'],
    ['a member of the slot', '"resource_id"', '"room"'],
    ['a type of a member of the booking', '"booking_id": "019', '"booking_id": 0.19, "x": "'],
  ])('would be rejected for %s that the document does not have', async (_what, from, to) => {
    const client = pactsOfEvents.find(({ path }) => path.startsWith('packages/client/'))!;
    expect((await faultsOfEvents(damaged(client.text, from, to))).join('\n')).toMatch(/response.body.incompatible/);
  });

  it.each(pacts)('$path expects nothing but what the OpenAPI document promises', async ({ text }) => {
    expect((JSON.parse(text) as Pact).interactions.length).toBeGreaterThan(0);
    expect(await faultsOf(text)).toEqual([]);
  });

  it.each([
    ['a path', '"/v1/bookings"', '"/v1/reservations"', /request.path-or-method.unknown/],
    ['a method', '"method": "POST"', '"method": "PUT"', /request.path-or-method.unknown/],
    ['a status', '"status": 409', '"status": 418', /response.status.unknown/],
    // A booking may have any other member, so that only a wrong type is found there.
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
  ])('would be rejected for %s that the document does not have', async (_what, from, to, fault) => {
    const client = pacts.find(({ path }) => path.startsWith('packages/client/'))!;
    expect((await faultsOf(damaged(client.text, from, to))).join('\n')).toMatch(fault);
  });
});
