/** Leads every connection to a test database through PgBouncer. */
process.env.TEST_SERVER_URL = process.env.TEST_DATABASE_URL;
process.env.TEST_DATABASE_URL = process.env.TEST_PGBOUNCER_URL;
