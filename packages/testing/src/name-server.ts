import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_LENGTH = 12;
const TYPE_A = 1;

/** A DNS server (RFC 1035) with IPv4 addresses, for ten minutes, as Docker's has them. */
export class NameServer {
  /** The names that were looked up, once for each type of address. */
  readonly lookups: string[] = [];

  private constructor(
    private readonly socket: Socket,
    /** The addresses of a name; it does not respond where they are undefined. */
    public addressesOf: (name: string) => readonly string[] | undefined,
  ) {
    socket.on('message', (query, { port, address }) => {
      const response = this.responseTo(query);
      if (response !== undefined) socket.send(response, port, address);
    });
  }

  static async start(addressesOf: NameServer['addressesOf']): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, addressesOf);
  }

  get port(): number {
    return this.socket.address().port;
  }

  close(): void {
    this.socket.close();
  }

  private responseTo(query: Buffer): Buffer | undefined {
    const question = query.subarray(HEADER_LENGTH, query.indexOf(0, HEADER_LENGTH) + 5);
    const name = nameOf(question);
    this.lookups.push(name);
    const found = this.addressesOf(name);
    if (found === undefined) return undefined;
    const addresses = question.readUInt16BE(question.length - 4) === TYPE_A ? found : [];
    const header = Buffer.from(query.subarray(0, HEADER_LENGTH));
    // A response without an error, to one question.
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    // The name of the question, type A, class IN, 600 seconds, four bytes.
    const answers = addresses.map((address) =>
      Buffer.from([0xc0, HEADER_LENGTH, 0, 1, 0, 1, 0, 0, 2, 0x58, 0, 4, ...address.split('.').map(Number)]),
    );
    return Buffer.concat([header, question, ...answers]);
  }
}

/** Of labels, each after its length, to one of no length. */
function nameOf(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 0; question[at]! > 0; at += question[at]! + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!));
  }
  return labels.join('.').toLowerCase();
}
