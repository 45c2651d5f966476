/** What the page shows; its address has the same. */
export interface View {
  /** `YYYY-MM-DD`; undefined is today, whenever that is. */
  date: string | undefined;
  span: 'day' | 'week';
  /** An IANA time zone. */
  zone: string;
  /** Words that names of resources must contain. */
  filter: string;
  /** Minutes that a resource must be free; 0 for any. */
  free: number;
  /** `HH:MM` from which it must be; undefined for any time. */
  at: string | undefined;
}

const YEARS = /^(?:19|[2-8]\d|9[0-8])\d\d-/;

/** The view of an address; a parameter that is not valid is ignored. */
export function readView(search: string): View {
  const query = new URLSearchParams(search);
  const of = (name: string) => query.get(name) ?? '';
  return {
    date: realDate(of('date')),
    span: of('span') === 'week' ? 'week' : 'day',
    zone: realZone(of('zone')) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    filter: of('filter'),
    free: /^\d{1,4}$/.test(of('free')) ? Number(of('free')) : 0,
    at: realTime(of('at')),
  };
}

/** The query for a view, with its `?`. */
export function writeView({ date, span, zone, filter, free, at }: View): string {
  const query = new URLSearchParams();
  if (date !== undefined) query.set('date', date);
  query.set('span', span);
  query.set('zone', zone);
  if (filter !== '') query.set('filter', filter);
  if (free > 0) query.set('free', String(free));
  if (free > 0 && at !== undefined) query.set('at', at);
  // Both are allowed in a query (RFC 3986 §3.4), and read better.
  return `?${query.toString().replaceAll('%2F', '/').replaceAll('%3A', ':')}`;
}

export function realDate(text: string): string | undefined {
  const time = YEARS.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? undefined : text;
}

function realTime(text: string): string | undefined {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text) ? text : undefined;
}

/** @param days may be negative */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

function realZone(text: string): string | undefined {
  try {
    Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    return undefined;
  }
}
