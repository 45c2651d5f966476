import { InvalidConfig, readConfig } from '../src/config.js';

describe('The settings', () => {
  it('have defaults that work without any', () => {
    expect(readConfig({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      memoryMaxBookings: 1_000_000,
      bookingSchemaFile: undefined,
      database: undefined,
    });
  });

  it('choose PostgreSQL by DATABASE_URL, with time limits that leave a 503 within 5 seconds', () => {
    const { database } = readConfig({ DATABASE_URL: 'postgres://user:secret@host/bookings' });
    expect(database).toEqual({
      url: 'postgres://user:secret@host/bookings',
      poolSize: 10,
      connectTimeout: 2_000,
      statementTimeout: 2_500,
      migrateAtStart: true,
    });
  });

  it('never show a password in their faults', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://user:secret@host/bookings' })).toThrow(/^((?!secret).)*$/);
  });

  it('take an empty variable for one that is not set', () => {
    expect(readConfig({ PORT: '', HOST: '' })).toEqual(readConfig({}));
  });

  it('are refused with every fault at once', () => {
    const read = (): unknown => readConfig({ PORT: '65536', MEMORY_MAX_BOOKINGS: '1e3' });
    expect(read).toThrow(InvalidConfig);
    expect(read).toThrow(/PORT must be a whole number from 0 to 65535; MEMORY_MAX_BOOKINGS must be/);
  });

  it.each(['-1', '3000.5', ' 3000', '0x10', 'http'])('refuse the port %j', (port) => {
    expect(() => readConfig({ PORT: port })).toThrow(InvalidConfig);
  });
});
