import config, { whatSqlDecides } from './jest.config.js';

const [{ testMatch: _, displayName: __, ...project }] = config.projects;

/** `pnpm test:majors` runs it on each supported PostgreSQL. @type {import('jest').Config} */
export default {
  ...config,
  projects: [
    {
      ...project,
      displayName: `postgres ${process.env.TEST_POSTGRES}`,
      setupFiles: ['<rootDir>/test/support/use-postgres.js'],
      testMatch: [
        ...whatSqlDecides,
        '<rootDir>/test/database/*.spec.ts',
        '<rootDir>/test/events/{delivery,endpoint-worker,unavailable}.spec.ts',
      ],
    },
  ],
};
