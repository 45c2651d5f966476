import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import type { Contract } from './contract.js';

const resultSchema = z.strictObject({
  interactionId: z.string(),
  interactionDescription: z.string().optional(),
  success: z.boolean(),
  mismatches: z
    .array(z.looseObject({ attribute: z.string(), identifier: z.string().optional(), description: z.string() }))
    .default([]),
  exceptions: z.array(z.looseObject({ message: z.string() })).default([]),
});

const reportSchema = z.looseObject({ testResults: z.array(resultSchema) });

/** What the verifier publishes of one interaction. */
export type Result = z.output<typeof resultSchema>;

/**
 * The part of a Pact Broker by which the verifier reports as JSON: it serves one contract, whose interactions have
 * their index as their id, and takes the results that are published for it.
 *
 * @see https://docs.pact.io/pact_broker/advanced_topics/api_docs/publish_verification_result
 */
export class ReportServer {
  private readonly published: unknown[] = [];
  private readonly server = createServer((request, response) => void this.respond(request, response));

  private constructor(private readonly contract: Contract) {}

  static async start(contract: Contract): Promise<ReportServer> {
    const reporting = new ReportServer(contract);
    reporting.server.listen(0, '127.0.0.1');
    await once(reporting.server, 'listening');
    return reporting;
  }

  /** Options of the verifier. */
  get options(): { pactUrls: string[]; publishVerificationResult: true; providerVersion: string } {
    return { pactUrls: [`${this.url}/contract`], publishVerificationResult: true, providerVersion: 'this' };
  }

  /**
   * The results of the interactions, in their order.
   *
   * @throws Error unless there is exactly one for each, in the form that is known
   */
  readonly results = (): Result[] => {
    const { length: interactions } = this.contract.interactions;
    if (this.published.length !== 1) throw new Error(`The verifier reported ${this.published.length} times.`);
    const report = reportSchema.safeParse(this.published[0]);
    if (!report.success) {
      const [{ path, message }] = report.error.issues as [z.core.$ZodIssue];
      throw new Error(`The report of the verifier has another form: ${[...path, message].join(': ')}`);
    }
    const { testResults } = report.data;
    const results = Array.from({ length: interactions }, (_, id) => {
      return testResults.filter(({ interactionId }) => interactionId === String(id));
    });
    if (testResults.length !== interactions || results.some(({ length }) => length !== 1)) {
      throw new Error(`The verifier reported ${testResults.length} of ${interactions} interactions.`);
    }
    return results.flat();
  };

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') this.published.push(await json(request).catch(() => undefined));
    response.writeHead(200, { 'Content-Type': 'application/hal+json' });
    response.end(request.url === '/contract' ? withIds(this.contract.text, `${this.url}/results`) : '{}');
  }
}

/** The contract as a broker serves it. Its numbers keep their text: to the verifier, 1 is not 1.0. */
function withIds(contract: string, results: string): string {
  const mark = randomUUID();
  const text = contract.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => {
    return token.startsWith('"') ? token : `"${mark}${token}"`;
  });
  const pact = JSON.parse(text) as { interactions: object[] };
  const served = {
    ...pact,
    interactions: pact.interactions.map((interaction, id) => Object.assign(interaction, { _id: String(id) })),
    _links: { 'pb:publish-verification-results': { href: results } },
  };
  return JSON.stringify(served).replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}
