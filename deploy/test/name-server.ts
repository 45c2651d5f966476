import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_LENGTH = 12;
const TYPE_A = 1;

/** A DNS server that has the same addresses for every name (RFC 1035), for ten minutes, as Docker's has them. */
export class NameServer {
  private constructor(
    private readonly socket: Socket,
    public addresses: readonly string[],
  ) {
    socket.on('message', (query, { port, address }) => socket.send(this.responseTo(query), port, address));
  }

  static async start(addresses: readonly string[]): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, addresses);
  }

  get port(): number {
    return this.socket.address().port;
  }

  close(): void {
    this.socket.close();
  }

  private responseTo(query: Buffer): Buffer {
    const question = query.subarray(HEADER_LENGTH, query.indexOf(0, HEADER_LENGTH) + 5);
    const addresses = question.readUInt16BE(question.length - 4) === TYPE_A ? this.addresses : [];
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
