import { connectionStringFault } from '../../src/database/connection-string.js';

const faultOf = (text: string): string | undefined => connectionStringFault(text, 'writer');

describe('A connection string', () => {
  it.each([
    'postgres://host',
    'postgresql://user:p%40%2F%3F%23%25%20%C3%A4@host:5432/bookings',
    'postgres://user:a:b@a:5432,[::1]:6432/bookings?target_session_attrs=primary&sslmode=verify-full',
    'postgres://localhost/bookings?host=/var/run/postgresql&user=me&password=p%40ss&port=5433',
    'postgres://host/bookings?options=-c%20geqo%3Doff&application_name=a%20b&fallback_application_name=c&ssl=true',
    'postgres://host/bookings?sslrootcert=/a&sslcert=/b&sslkey=/c&uselibpqcompat=true&sslnegotiation=direct',
  ])('may be %s', (text) => {
    expect(faultOf(text)).toBeUndefined();
  });

  it.each([
    ['sslmod=verify-full', '`sslmod`: the nearest known one is `sslmode`'],
    ['ssl_mode=verify-full', '`ssl_mode`: the nearest known one is `sslmode`'],
    ['sslMode=verify-full', '`sslMode`: the nearest known one is `sslmode`'],
    ['sslmode=verify-full&sslrootcrt=/a', '`sslrootcrt`: the nearest known one is `sslrootcert`'],
    ['aplication_name=a', '`aplication_name`: the nearest known one is `application_name`'],
  ])('is rejected with a misspelt parameter: %s', (query, fault) => {
    expect(faultOf(`postgres://host/bookings?${query}`)).toBe(`has the unknown parameter ${fault}`);
  });

  it.each([
    'statement_timeout=0',
    'lock_timeout=1000',
    'query_timeout=0',
    'connect_timeout=5',
    'channel_binding=require',
    'replication=true',
  ])('is rejected with a parameter that would do nothing, or undo a setting: %s', (query) => {
    expect(faultOf(`postgres://host/bookings?${query}`)).toMatch(
      /^has a parameter that has no effect here; those that have are application_name, .* sslmode, /,
    );
  });

  it.each([
    ['sslmode=verify_full', /^must have one of disable, .*, no-verify as `sslmode`$/],
    // The driver takes it for a wish to be encrypted.
    ['ssl=false', /^must have one of true, 1, 0, no-verify as `ssl`$/],
    // The driver would wait for ever.
    ['port=abc', /^must have a whole number from 1 to 65535 as `port`$/],
    ['port=0', /^must have a whole number from 1 to 65535 as `port`$/],
    ['port=65536', /^must have a whole number from 1 to 65535 as `port`$/],
    ['target_session_attrs=any', /^must have one of read-write, primary as `target_session_attrs`$/],
  ])('is rejected with a value that means something else: %s', (query, fault) => {
    expect(faultOf(`postgres://host/bookings?${query}`)).toMatch(fault);
  });

  it('of standbys may lead to any server', () => {
    expect(connectionStringFault('postgres://host/bookings?target_session_attrs=any', 'any')).toBeUndefined();
  });

  it.each([
    'postgres://user:se@cret@host/bookings',
    'postgres://us@er:secret@host/bookings',
    'postgres://user:se/cret@host/bookings',
    'postgres://user:1/cret@host/bookings',
    'postgres://user:1?cret@host/bookings',
    'postgres://user:1#cret@host/bookings',
    'postgres://user:se%cret@host/bookings',
    'postgres://user:cret%ff@host/bookings',
    'postgres://user:se@cret@a,b/bookings',
    'postgres://host/bookings?user=user&password=se@cret',
  ])('is rejected with a character that is not percent-encoded, without a word of it: %s', (text) => {
    expect(faultOf(text)).toMatch(/^must have each @, .* percent-encoded \(%40, /);
    expect(faultOf(text)).not.toContain('cret');
  });

  it.each([
    'mysql://user:secret@host/bookings',
    'postgres://user:secret@/bookings',
    'postgres://user:secret@host:0/bookings',
    'postgres://user:secret@host/book%00ings',
    'host',
    'postgres://a:1,:2/b',
  ])('is rejected as no URL of PostgreSQL, without the password: %s', (text) => {
    expect(faultOf(text)).toBe('must be a URL such as postgres://user:password@host:5432/database');
  });

  it('shows nothing of a password that is cut by a separator', () => {
    expect(faultOf('postgres://host/bookings?user=me&password=a&hunter2=b')).not.toContain('hunter2');
  });
});
