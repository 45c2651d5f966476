import type { Contract } from '../src/contract.js';
import { ReportServer } from '../src/report.js';

const pact = `{
  "consumer": { "name": "my-app" }, "provider": { "name": "bookings-service" },
  "interactions": [
    { "_id": "of a broker", "description": "the number 1, \\"2.0\\" and -3", "response": { "body": [1.0, 1E3, -0.50, 12345678901234567890, "4.0"] } },
    { "description": "another" }
  ],
  "_links": { "pb:publish-verification-results": { "href": "https://broker.example/results" } }
}`;
const contract: Contract = {
  consumer: 'my-app',
  provider: 'bookings-service',
  interactions: ['first', 'second'].map((description) => ({ description, states: [], isPending: false })),
  text: pact,
};

const of = (id: number) => ({ interactionId: String(id), interactionDescription: 'a request', success: true });

let server: ReportServer;

beforeEach(async () => void (server = await ReportServer.start(contract)));
afterEach(() => server.stop());

async function serve(): Promise<string> {
  return (await fetch(server.options.pactUrls[0]!)).text();
}

async function publish(...testResults: object[]): Promise<void> {
  const { _links: links } = JSON.parse(await serve()) as { _links: Record<string, { href: string }> };
  const body = JSON.stringify({ success: true, testResults });
  await fetch(links['pb:publish-verification-results']!.href, { method: 'POST', body });
}

describe('The report server', () => {
  it('serves the contract with an id for each interaction, and every number as it was written', async () => {
    const served = await serve();
    expect(served).toContain('[1.0,1E3,-0.50,12345678901234567890,"4.0"]');
    expect(JSON.parse(served)).toMatchObject({
      consumer: { name: 'my-app' },
      interactions: [{ _id: '0', description: 'the number 1, "2.0" and -3' }, { _id: '1' }],
    });
  });

  it('takes the results, though the file names a broker', async () => {
    expect(await serve()).not.toContain('broker.example');
    await publish({ ...of(1), success: false, exceptions: [{ message: 'no' }] }, of(0));
    expect(server.results()).toMatchObject([{ success: true }, { success: false, exceptions: [{ message: 'no' }] }]);
  });

  it.each([
    ['for one interaction alone', [of(0)], 'The verifier reported 1 of 2 interactions.'],
    ['for one interaction twice', [of(0), of(0)], 'The verifier reported 2 of 2 interactions.'],
    ['for one that is not there', [of(0), of(1), of(2)], 'The verifier reported 3 of 2 interactions.'],
    ['with a member that is not known', [of(0), { ...of(1), skipped: true }], 'skipped'],
    ['without success', [of(0), { ...of(1), success: undefined }], 'success'],
  ])('takes no results %s', async (_, results, fault) => {
    await publish(...results);
    expect(() => server.results()).toThrow(fault);
  });

  it('has no results before they are published, or after they were published twice', async () => {
    expect(() => server.results()).toThrow('The verifier reported 0 times.');
    for (let time = 0; time < 2; time += 1) await publish(of(0), of(1));
    expect(() => server.results()).toThrow('The verifier reported 2 times.');
  });
});
