import { fileURLToPath } from 'node:url';

export type Operation = 'get' | 'list' | 'create' | 'refused' | 'replay';
export const operations: readonly Operation[] = ['get', 'list', 'create', 'refused', 'replay'];

export type ContenderName = 'bare' | 'nest-express' | 'nest-fastify' | 'json-server' | 'memory' | 'postgres';

export interface Contender {
  readonly name: ContenderName;
  readonly program: string;
  /** Where the bookings are, and where the list of the newest 20 is. */
  readonly path: string;
  readonly listPath: string;
  readonly operations: readonly Operation[];
  /** Share of the requests that it is given, where it gets slower with every booking it holds. */
  readonly share?: number;
  readonly usesDatabase?: boolean;
}

/** The built service. */
export const service = fileURLToPath(new URL('dist/main.js', import.meta.resolve('api/package.json')));
export const SERVICE_PATH = '/v1/bookings';

const paths = { path: SERVICE_PATH, listPath: SERVICE_PATH };

export const contenders: readonly Contender[] = [
  { name: 'bare', program: own('bare'), ...paths, operations },
  { name: 'nest-express', program: own('nest-express'), ...paths, operations },
  { name: 'nest-fastify', program: own('nest-fastify'), ...paths, operations },
  {
    name: 'json-server',
    program: own('json-server'),
    path: '/bookings',
    // The first 20: it sorts all bookings for the newest.
    listPath: '/bookings?_limit=20',
    operations: ['get', 'list', 'create'],
    share: 0.1,
  },
  { name: 'memory', program: service, ...paths, operations },
  { name: 'postgres', program: service, ...paths, operations, share: 0.5, usesDatabase: true },
];

function own(name: string): string {
  return fileURLToPath(new URL(`contenders/${name}.js`, import.meta.url));
}
