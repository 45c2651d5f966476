import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Hosts } from '../../src/database/hosts.js';
import { ConnectionPool } from '../../src/database/pool.js';

describe('A statement', () => {
  it('waits for a connection no longer with several hosts than with one', async () => {
    const connectTimeout = 500;
    // Each breaks a connection off just before its time is over, so that the next host is tried.
    const listen = async (): Promise<Server> => {
      const server = createServer((socket) => setTimeout(() => socket.destroy(), connectTimeout - 100)).listen(0);
      await once(server, 'listening');
      return server;
    };
    const servers = await Promise.all([listen(), listen(), listen()]);
    const hosts = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`).join(',');
    const url = `postgres://nobody@${hosts}/bookings`;
    const settings = { url, size: 2, connectTimeout, statementTimeout: 500, isPooled: () => false };
    const pool = new ConnectionPool(new Hosts(url), settings);
    const begun = performance.now();
    const fault: unknown = await pool.run({ text: 'SELECT 1' }, []).catch((error: unknown) => error);
    const took = performance.now() - begun;
    await pool.close();
    for (const server of servers) server.close();
    expect(fault).toEqual(expect.objectContaining({ message: expect.stringContaining('timeout') }));
    expect(took).toBeLessThan(connectTimeout + 150);
  });
});
