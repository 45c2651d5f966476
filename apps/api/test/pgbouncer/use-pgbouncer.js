/** Has every database of a test be reached through PgBouncer, that of a service too. */
process.env.TEST_SERVER_URL = process.env.TEST_DATABASE_URL;
process.env.TEST_DATABASE_URL = process.env.TEST_PGBOUNCER_URL;
