import { missingPackages, PatroniCluster } from '../patroni/cluster.js';
import { failOver } from '../patroni/failover.js';

const missing = missingPackages();
if (missing.length > 0)
  process.stderr.write(`Patroni is not tested: Debian's packages ${missing.join(', ')} are not installed.\n`);

(missing.length === 0 ? describe : describe.skip)('Three members of Patroni under load', () => {
  let cluster: PatroniCluster;

  beforeAll(async () => {
    cluster = await PatroniCluster.start();
  }, 180_000);
  afterAll(() => cluster?.remove());

  it.each([
    ['haproxy', 'primary'],
    ['hosts', 'machine'],
    ['pgbouncer', 'postgres'],
  ] as const)(
    'lose no booking through %s after a fault: %s',
    async (way, fault) => {
      const found = await failOver(cluster, way, fault);
      process.stdout.write(`${JSON.stringify({ ...found, lost: found.lost.length, changed: found.changed.length })}\n`);
      expect(found).toMatchObject({ lost: [], changed: [], others: 0 });
      expect(found.acknowledged).toBeGreaterThan(100);
      expect(found.unavailable).toBeGreaterThan(0);
      expect(found.outages[0]!.until).toBeLessThan(40);
    },
    300_000,
  );
});
