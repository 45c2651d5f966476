import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { respond, ServiceProcess, temporaryFolder, until } from 'testing';
import { api } from '../support/api.js';
import { useEvents } from './events-fixture.js';

const fixture = useEvents('each');

/** Runs the command in further arguments where the file in the first one replaces `/etc/resolv.conf`, which takes root. */
const WITH_RESOLVER = ['--mount', 'sh', '-c', 'mount --bind "$0" /etc/resolv.conf && exec "$@"'];
const canReplaceResolver = spawnSync('unshare', [...WITH_RESOLVER, '/etc/resolv.conf', 'true']).status === 0;
const ABOUT_NAMES = 'that are away delay neither another endpoint nor a connection to the database';
if (!canReplaceResolver) {
  process.stderr.write(
    `NOT RUN: Name servers ${ABOUT_NAMES}. This test needs root, and util-linux (unshare, mount).\n`,
  );
}

describe('Name servers', () => {
  const ADDRESS = '127.53.53.53';
  const nameServer = createSocket('udp4');
  const asked = new Set<string>();

  afterEach(() => nameServer.close());

  (canReplaceResolver ? it : it.skip)(ABOUT_NAMES, async () => {
    const [, threads] = /UV_THREADPOOL_SIZE=(\d+)/.exec(readFileSync('../../Dockerfile', 'utf8'))!;
    // The first label of the name begins after twelve bytes and its length.
    nameServer.on('message', (query) => asked.add(query.toString('latin1', 13, 13 + query[12]!)));
    await once(nameServer.bind(53, ADDRESS), 'listening');
    const resolver = join(temporaryFolder(), 'resolv.conf');
    // A lookup takes longer than this test.
    writeFileSync(resolver, `nameserver ${ADDRESS}\noptions timeout:30 attempts:5\n`);
    const away = Array.from({ length: 16 }, (_, n) => ({ name: `away-${n}`, url: `http://away-${n}.example/` }));
    const atHome = (url: string): string => url.replace('127.0.0.1', 'localhost');
    const doors = { name: 'doors', url: atHome(fixture.other.url) };
    fixture.other.behaviour = respond(204, { connection: 'close' });
    fixture.setEndpoints(...away.slice(1), doors);
    const database = { DATABASE_URL: atHome(fixture.database.url), UV_THREADPOOL_SIZE: threads! };
    const service = await ServiceProcess.start({ ...fixture.env, ...database }, [], 'main.js', [
      'unshare',
      ...WITH_RESOLVER,
      resolver,
    ]);
    const book = async () => (await api(service.url).post('/v1/bookings').send({})).status === 201;
    const bookOnNewConnection = async () => {
      await fixture.database.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      await until(book);
    };
    for (let n = 0; n < 20; n++) await book();
    await until(() => asked.size === 15);
    await bookOnNewConnection();
    await until(() => fixture.other.accepted.length >= 21);
    fixture.setEndpoints(...away);
    await until(async () => (await book()) && asked.size === 16);
    await bookOnNewConnection();
    // Node's exit waits for lookups.
    await service.stop('SIGKILL');
  });
});
