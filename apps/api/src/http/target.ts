import type { IncomingMessage } from 'node:http';

/** One host and port, or nothing (RFC 9110 §7.2). Two headers arrive joined by a comma and a space. */
export const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/;

/** A path and a query of visible ASCII; a fragment is no part of it (RFC 9112 §3.2.1). */
const ORIGIN_FORM = /^\/[!"$-~]*$/;

/** The form that requests to proxies have, which every server has to take (RFC 9112 §3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/(?<authority>[^/?#]+)(?<rest>[!"$-~]*)$/i;

/**
 * A request target without the authority of the absolute form; `*` for OPTIONS as it is.
 *
 * @returns undefined for a target that cannot be parsed
 */
export function originForm(target: string, method: string | undefined): string | undefined {
  if (ORIGIN_FORM.test(target)) return target;
  if (target === '*' && method === 'OPTIONS') return target;
  const { authority, rest = '' } = ABSOLUTE_FORM.exec(target)?.groups ?? {};
  if (authority === undefined || !HOST.test(authority) || !URL.canParse(`http://${authority}`)) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The path of a request, as it was sent; empty for a target without one. Unlike Express's, it never throws. */
export function pathOf({ url = '', method }: IncomingMessage): string {
  const target = originForm(url, method) ?? '';
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

/** The query of a request, without its `?`; empty where there is none. */
export function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
