import { createHash } from 'node:crypto';
import type { Request } from 'express';

/** Groups of an IPv6 address that name its network; the rest of them one customer can choose at will. */
const NETWORK_GROUPS = 4;

/**
 * Who is counted: the caller of the token where one was asked for, else the network of the address.
 * The address is that of the connection; behind `TRUST_PROXY` proxies, what the outermost of them saw.
 *
 * @returns a digest, of which nobody learns who it was
 */
export function callerOf(request: Request & { caller?: { id: string } }): string {
  const { caller, ip = '' } = request;
  const name = caller === undefined ? `address ${networkOf(ip)}` : `caller ${caller.id}`;
  return createHash('sha256').update(name).digest('base64url');
}

/** An IPv4 address, or the first 64 bits of one of IPv6. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [before = '', after] = address.toLowerCase().split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...(after === undefined ? [] : zeros), ...tail].slice(0, NETWORK_GROUPS).join(':');
}
