import { connectionStringFault } from '../../src/database/connection-string.js';

const NO_URL = /^must be a URL such as postgres:\/\/user:password@host:5432\/database$/;
const NOT_ENCODED = /^must have each @, .* percent-encoded \(%40, /;
const SEVERAL_HOSTS =
  /^must name one host that leads to the primary: HAProxy .*, or the endpoint of a managed database$/;
const PORT = /^must have a whole number from 1 to 65535 as `port`$/;
const NO_EFFECT = /^has a parameter that has no effect here; those that have are application_name, .* sslmode, /;

describe('A connection string', () => {
  it.each([
    'postgres://host',
    'postgresql://user:p%40%2F%3F%23%25%20%C3%A4,a:b@host:5432/bookings',
    'postgres://user@[::1]:6432/bookings?target_session_attrs=primary&sslmode=verify-full',
    'postgres://localhost/bookings?host=/var/run/postgresql&user=me&password=p%40ss&port=5433',
    'postgres://host/bookings?options=-c%20geqo%3Doff&application_name=a%20b&fallback_application_name=c&ssl=true',
    'postgres://host/bookings?sslrootcert=/a&sslcert=/b&sslkey=/c&uselibpqcompat=true&sslnegotiation=direct',
  ])('may be %s', (text) => {
    expect(connectionStringFault(text)).toBeUndefined();
  });

  it.each([
    ['mysql://user:secret@host/bookings', NO_URL],
    ['postgres://user:secret@/bookings', NO_URL],
    ['postgres://user:secret@host:0/bookings', NO_URL],
    ['postgres://user:secret@host/book%00ings', NO_URL],
    ['secret', NO_URL],
    ['postgres://user:secret@a:5432,b/bookings', SEVERAL_HOSTS],
    ['postgres://localhost/bookings?host=a,b&password=secret', SEVERAL_HOSTS],
    ['postgres://user:se@secret@host/bookings', NOT_ENCODED],
    ['postgres://user:1/secret@host/bookings', NOT_ENCODED],
    ['postgres://user:1?secret@host/bookings', NOT_ENCODED],
    ['postgres://user:1#secret@host/bookings', NOT_ENCODED],
    ['postgres://user:se%secret@host/bookings', NOT_ENCODED],
    ['postgres://user:secret%ff@host/bookings', NOT_ENCODED],
    ['postgres://host/bookings?user=me&password=se@secret', NOT_ENCODED],
    // What looks like a parameter may be the rest of a password.
    ['postgres://host/bookings?user=me&password=a&secret=b', NO_EFFECT],
    ['postgres://host/bookings?sslmod=verify-full', NO_EFFECT],
    ['postgres://host/bookings?statement_timeout=0', NO_EFFECT],
    ['postgres://host/bookings?sslmode=verify_full', /^must have one of disable, .*, no-verify as `sslmode`$/],
    // The driver takes it for a wish to be encrypted.
    ['postgres://host/bookings?ssl=false', /^must have one of true, 1, 0, no-verify as `ssl`$/],
    ['postgres://host/bookings?target_session_attrs=any', /^must have one of read-write, primary as /],
    ['postgres://host/bookings?port=abc', PORT],
    ['postgres://host/bookings?port=0', PORT],
    ['postgres://host/bookings?port=65536', PORT],
  ])('is rejected, without what may be a password: %s', (text, fault) => {
    expect(connectionStringFault(text)).toMatch(fault);
    expect(connectionStringFault(text)).not.toContain('secret');
  });
});
