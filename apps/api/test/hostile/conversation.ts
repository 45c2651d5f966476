import { connect } from 'node:net';

/** Milliseconds after which a service that neither answers nor closes has failed. */
const PATIENCE = 10_000;

/** An answer as it came from the connection. */
export interface WireAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Writes bytes to a new connection, says that no more will come, and reads until the service closes it.
 *
 * @returns every answer but the interim ones; a connection that is reset ends the reading
 */
export async function converse(url: string, bytes: Buffer): Promise<WireAnswer[]> {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setTimeout(PATIENCE, () => {
      reject(new Error(`neither answered nor closed: ${JSON.stringify(bytes.toString('latin1'))}`));
      socket.destroy();
    });
    // A reset is one way to be refused.
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('close', () => resolve());
    socket.end(bytes);
  });
  return parseAnswers(Buffer.concat(chunks));
}

export function parseAnswers(received: Buffer): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`no head of an answer: ${JSON.stringify(rest.toString('latin1'))}`);
    const [first, ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n') as [string];
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    const headers = Object.fromEntries(
      lines.map((line: string) => line.split(/: (.*)/s, 2)).map(([name, value]) => [name!.toLowerCase(), value!]),
    );
    const body = rest.subarray(end + 4);
    // HEAD, 204 and 304 have none, whatever the length says; what follows then is the next answer.
    const length = body.subarray(0, 9).toString() === 'HTTP/1.1 ' ? 0 : Number(headers['content-length'] ?? 0);
    if (status >= 200) answers.push({ status, headers, text: body.subarray(0, length).toString() });
    rest = body.subarray(length);
  }
  return answers;
}
