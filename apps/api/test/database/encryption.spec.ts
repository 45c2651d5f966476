import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe as describeDatabase, encryptionOf } from '../../src/database/connection.js';

/** What a client asks for before TLS begins (PostgreSQL, "Message Formats", SSLRequest). */
const SSL_REQUEST = 80_877_103;

/** Whether a client asks for TLS: a server that closes the connection reads no more than its first message. */
async function asksForTls(query: string): Promise<boolean> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const client = new Client({ connectionString: `postgres://me@127.0.0.1:${port}/bookings${query}` });
  client.on('error', () => {});
  const connecting = client.connect().catch(() => {});
  const [socket] = await connected;
  const [message] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  await connecting;
  server.close();
  // With `sslnegotiation=direct`, TLS begins at once, with a handshake record.
  return message.readInt32BE(4) === SSL_REQUEST || message[0] === 22;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookings-ca-'));
  writeFileSync(join(folder, 'ca.pem'), 'no certificate');
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  delete process.env['PGSSLMODE'];
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
});

describe('The encryption of a connection', () => {
  it.each([
    ['', 'not encrypted'],
    ['?sslmode=disable', 'not encrypted'],
    ['?ssl=0', 'not encrypted'],
    ['?ssl=true', 'encrypted, server verified'],
    ['?ssl=1', 'encrypted, server verified'],
    ['?ssl=no-verify', 'encrypted, server not verified'],
    ['?sslmode=prefer', 'encrypted, server verified'],
    ['?sslmode=require', 'encrypted, server verified'],
    ['?sslmode=verify-full', 'encrypted, server verified'],
    ['?sslmode=no-verify', 'encrypted, server not verified'],
    ['?sslnegotiation=direct', 'encrypted, server verified'],
    ['?uselibpqcompat=true&sslmode=require', 'encrypted, server not verified'],
    ['?uselibpqcompat=true&sslmode=verify-full', 'encrypted, server verified'],
    ['?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=CA', 'encrypted, certificate verified without its host name'],
  ])('with %j is: %s', async (query, encryption) => {
    const path = query.replace('=CA', `=${join(folder, 'ca.pem')}`);
    expect(encryptionOf(`postgres://me@127.0.0.1/bookings${path}`)).toBe(encryption);
    expect(await asksForTls(path)).toBe(encryption.startsWith('encrypted'));
  });

  it('follows the variables of the driver and of Node', async () => {
    const url = 'postgres://host/bookings';
    process.env['PGSSLMODE'] = 'require';
    expect(encryptionOf(url)).toBe('encrypted, server verified');
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    expect(encryptionOf(url)).toBe('encrypted, server not verified');
  });

  it('is described beside the host, without user and password', () => {
    const url = 'postgres://me:secret@host:5432/bookings?sslmode=verify-full';
    expect(describeDatabase(url)).toBe('PostgreSQL at host:5432/bookings (encrypted, server verified)');
  });
});
