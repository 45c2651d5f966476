import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort, ServiceProcess } from 'testing';
import { tableOf } from '../test/document.js';
import { samples, type Sample } from './prism-requests.js';
import { documentPath, programOf } from './programs.js';

/** What Prism and the service judge differently: the README says why. */
const differences = Object.fromEntries(tableOf('Where Prism differs', 2)) as Record<string, string>;

interface Outcome {
  status: number;
  /** Whether Prism wrote the response. */
  isPrism: boolean;
}

/** Sends a request as it is: `fetch` adds a content type to a body. */
async function send(url: string, sample: Sample, part: string): Promise<Outcome> {
  const { method = 'GET', path, headers, body } = sample;
  const outgoing = request(new URL(path?.(part) ?? '/v1/bookings', url), { method, headers: headers?.(part) ?? {} });
  outgoing.end(body?.(part));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const received = await text(response);
  return { status: response.statusCode!, isPrism: received.includes('stoplight.io/prism/errors') };
}

function verdictOf(service: Outcome, prism: Outcome): string {
  if (!prism.isPrism) return prism.status === service.status ? 'agree' : `${service.status} became ${prism.status}`;
  if (prism.status >= 500) return `Prism finds fault with the response of ${service.status}`;
  return service.status >= 400 ? 'agree' : `Prism rejects what is ${service.status}`;
}

describe('Prism, as a proxy that validates requests and responses', () => {
  let service: ServiceProcess;
  let prism: ChildProcess;
  let url: string;

  beforeAll(async () => {
    service = await ServiceProcess.start();
    const port = await freePort();
    const args = ['proxy', documentPath, service.url, '--errors', '--port', String(port)];
    prism = spawn(process.execPath, [programOf('@stoplight/prism-cli', 'prism'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    });
    url = `http://127.0.0.1:${port}`;
    for await (const chunk of prism.stdout!.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes('is listening')) break;
    }
    prism.stdout!.resume();
  });
  afterAll(async () => {
    prism.kill();
    await service.stop();
  });

  it('agrees with the service on at least sixty requests, but for those that are listed with a reason', async () => {
    const found: Record<string, string> = {};
    for (const [name, sample] of Object.entries(samples)) {
      const verdict = verdictOf(await send(service.url, sample, 'direct'), await send(url, sample, 'proxied'));
      if (verdict !== 'agree') found[name] = verdict;
    }
    expect(found).toEqual(differences);
    expect(Object.keys(samples).length - Object.keys(found).length).toBeGreaterThanOrEqual(60);
  });
});
