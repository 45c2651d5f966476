import type { LookupAddress } from 'node:dns';
import { CANCELLED, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/** Where names are looked up; what is not set is that of this machine. */
export interface NameSources {
  readonly hostsFile?: string;
  /** resolv.conf(5): its `search` and `ndots` count here. */
  readonly resolverFile?: string;
  /** Name servers, as `Resolver.setServers` takes them. */
  readonly servers?: readonly string[];
  /** Milliseconds that a name server may take, before the next one, or the same once more. */
  readonly attemptTimeout?: number;
}

/** Milliseconds for a name, all attempts included. */
const LOOKUP_TIMEOUT = 5_000;

const ATTEMPT_TIMEOUT = 1_500;
const ATTEMPTS = 2;

const HOSTS_FILE = '/etc/hosts';
const RESOLVER_FILE = '/etc/resolv.conf';

/**
 * Looks names up in the hosts file, then in DNS, IPv4 first. Not with `dns.lookup`: libuv has few threads for it, and a
 * name server that does not respond holds one for many seconds, so that the names of other endpoints and of the database
 * would wait.
 */
export function nameLookup(sources: NameSources = {}): LookupFunction {
  const find = callbackify((name: string) => lookUp(name, sources));
  return (name, { all }, callback) => {
    find(name, (error, addresses) => {
      if (error) callback(error, []);
      else if (all) callback(null, [...addresses]);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

async function lookUp(name: string, sources: NameSources): Promise<readonly LookupAddress[]> {
  const bare = name.toLowerCase().replace(/\.$/, '');
  const hosts = inHosts(bare, await read(sources.hostsFile ?? HOSTS_FILE));
  if (hosts.length > 0) return hosts;
  const resolver = new Resolver({ timeout: sources.attemptTimeout ?? ATTEMPT_TIMEOUT, tries: ATTEMPTS });
  if (sources.servers) resolver.setServers(sources.servers);
  const timer = setTimeout(() => resolver.cancel(), LOOKUP_TIMEOUT);
  try {
    const names = name.endsWith('.') ? [bare] : namesToTry(bare, await read(sources.resolverFile ?? RESOLVER_FILE));
    return await resolveFirst(names, resolver);
  } catch (error) {
    throw new Error(`${name} does not resolve: ${(error as NodeJS.ErrnoException).code}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** hosts(5). */
function inHosts(name: string, text: string): LookupAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) > 0 && names.includes(name) ? [{ address, family: isIP(address) }] : [];
  });
}

/** The name within each domain of the search list; as it is first where it has `ndots` dots, else last. */
function namesToTry(name: string, text: string): string[] {
  const search = [...text.matchAll(/^(?:search|domain)[ \t]+(.+)$/gm)].at(-1)?.[1]?.trim().split(/\s+/) ?? [];
  const within = search.map((domain) => `${name}.${domain}`);
  const dots = Number(/^options[ \t].*\bndots:(\d+)/m.exec(text)?.[1] ?? 1);
  return name.split('.').length > dots ? [name, ...within] : [...within, name];
}

/** @throws Error that of the last name, if none has an address */
async function resolveFirst(names: readonly string[], resolver: Resolver): Promise<LookupAddress[]> {
  let fault: NodeJS.ErrnoException | undefined;
  for (const name of names) {
    const found = await Promise.allSettled([
      resolver.resolve4(name).then((all) => all.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(name).then((all) => all.map((address) => ({ address, family: 6 }))),
    ]);
    const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (addresses.length > 0) return addresses;
    fault = (found[0] as PromiseRejectedResult).reason as NodeJS.ErrnoException;
    if (fault.code === CANCELLED) break;
  }
  throw fault!;
}
