import { Hosts } from '../../src/database/hosts.js';

describe('The hosts of a connection string', () => {
  const url = 'postgresql://user:p%40ss@a:5432,[::1]:6432,c/bookings?target_session_attrs=read-write&sslmode=require';

  it('are tried one after the other, each with all that the string says', () => {
    const urls = ['a:5432', '[::1]:6432', 'c'].map((host) => url.replace('a:5432,[::1]:6432,c', host));
    const hosts = new Hosts(url);
    expect(hosts.urls).toEqual(urls);
    for (const each of [...urls, ...urls]) {
      expect(hosts.url).toBe(each);
      hosts.moveOn(each);
    }
  });

  it('are left once where several connections find one of them away', () => {
    const hosts = new Hosts(url);
    const first = hosts.url;
    hosts.moveOn(first);
    hosts.moveOn(first);
    expect(hosts.url).toBe(hosts.urls[1]);
  });

  it('are shown without user and password', () => {
    expect(new Hosts(url).address).toBe('a:5432,[::1]:6432,c/bookings');
  });
});
