import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { NameServer } from 'testing';
import { nameLookup } from '../../src/features/events/name-lookup.js';

const folder = mkdtempSync(join(tmpdir(), 'names-'));
const hostsFile = join(folder, 'hosts');
const resolverFile = join(folder, 'resolv.conf');
let server: NameServer;
let lookup: LookupFunction;

beforeEach(async () => {
  server = await NameServer.start((name) => ({ 'hooks.example': ['203.0.113.1', '203.0.113.2'] })[name] ?? []);
  writeFileSync(hostsFile, '127.0.0.1 localhost\n# 192.0.2.1 hooks.example\n::1\tBilling billing.local # ours\n');
  writeFileSync(resolverFile, '');
  lookup = lookupWithin(5_000);
});
afterEach(() => server.close());
afterAll(() => rmSync(folder, { recursive: true }));

/** @param attemptTimeout milliseconds that the name server has */
function lookupWithin(attemptTimeout: number): LookupFunction {
  return nameLookup({ hostsFile, resolverFile, servers: [`127.0.0.1:${server.port}`], attemptTimeout });
}

function addressesOf(name: string, by = lookup): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    by(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found as LookupAddress[])));
  });
}

describe('A name', () => {
  it('of the hosts file is looked up nowhere else', async () => {
    expect(await addressesOf('BILLING')).toEqual([{ address: '::1', family: 6 }]);
    expect(await addressesOf('billing.local')).toEqual([{ address: '::1', family: 6 }]);
    expect(server.lookups).toEqual([]);
  });

  it('is looked up in DNS, for one address or for all', async () => {
    expect(await addressesOf('hooks.example.')).toHaveLength(2);
    const one = new Promise((resolve) => lookup('hooks.example', {}, (...found) => resolve(found)));
    expect(await one).toEqual([null, '203.0.113.1', 4]);
  });

  it('is looked up in the domains of the search list, before or after itself', async () => {
    server.addressesOf = (name) => (name.endsWith('.svc.local') ? ['203.0.113.9'] : []);
    writeFileSync(resolverFile, 'nameserver 192.0.2.53\nsearch corp.example svc.local\n');
    expect(await addressesOf('billing.web')).toEqual([{ address: '203.0.113.9', family: 4 }]);
    writeFileSync(resolverFile, 'search svc.local\noptions timeout:1 ndots:5\n');
    expect(await addressesOf('a.web')).toHaveLength(1);
    expect(await addressesOf('doors')).toHaveLength(1);
    const twice = (name: string) => [name, name];
    expect(server.lookups).toEqual(
      [
        'billing.web',
        'billing.web.corp.example',
        'billing.web.svc.local',
        'a.web.svc.local',
        'doors.svc.local',
      ].flatMap(twice),
    );
    await expect(addressesOf('hooks.')).rejects.toThrow('hooks. does not resolve: ENODATA');
  });

  it('whose name server does not respond is given up, and no other', async () => {
    server.addressesOf = (name) => (name === 'hooks.example' ? ['203.0.113.1'] : undefined);
    const quick = lookupWithin(100);
    const [dead, alive] = await Promise.allSettled([
      addressesOf('dead.example', quick),
      addressesOf('hooks.example', quick),
    ]);
    expect(alive).toMatchObject({ status: 'fulfilled' });
    const { reason } = dead as PromiseRejectedResult;
    expect(String(reason)).toMatch(/dead\.example does not resolve: E(?:TIMEOUT|CANCELLED)$/);
  });
});
