/** Has `startApp` give every service a database of its own. */
process.env.TEST_STORE = 'postgres';
