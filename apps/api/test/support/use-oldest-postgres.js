/** Has `startApp` and every test use the oldest PostgreSQL that the service supports. */
process.env.TEST_STORE = 'postgres';
process.env.TEST_DATABASE_URL = process.env.TEST_OLDEST_DATABASE_URL;
