import { fileURLToPath } from 'node:url';

export type Operation = 'get' | 'list' | 'create' | 'refused' | 'replay';
export const operations: readonly Operation[] = ['get', 'list', 'create', 'refused', 'replay'];

export const operationNames: Record<Operation, string> = {
  get: 'get',
  list: 'list of 20',
  create: 'create',
  refused: 'create, 409',
  replay: 'replay',
};

export type ContenderName =
  | 'bare'
  | 'nest-express'
  | 'nest-fastify'
  | 'json-server'
  | 'memory'
  | 'bare-pg'
  | 'nest-typeorm'
  | 'nest-drizzle'
  | 'postgres';

export interface Contender {
  readonly name: ContenderName;
  readonly program: string;
  /** Where the bookings are, and where the list of the newest 20 is. */
  readonly path: string;
  readonly listPath: string;
  readonly operations: readonly Operation[];
  /** Share of the requests that it is given, where it gets slower with every booking it holds. */
  readonly share?: number;
  /** Its database, where it uses one. */
  readonly database?: string;
  /** What becomes of two overlapping creates at once, and of a create that is sent again. */
  readonly keeps: string;
}

/** The built service. */
export const service = fileURLToPath(new URL('dist/main.js', import.meta.resolve('api/package.json')));
export const SERVICE_PATH = '/v1/bookings';

const paths = { path: SERVICE_PATH, listPath: SERVICE_PATH };
const inProcess = 'One process, in memory: no overlap, a key has one booking; its payload is not compared.';
const afterLook =
  'A look, then the insert: two creates at once double-book. A key is unique, and a retry at the same time is a 500.';
const always = 'No overlap and one booking for a key, whatever runs beside; a key with another payload is rejected.';

export const contenders: readonly Contender[] = [
  { name: 'bare', program: own('bare'), ...paths, operations, keeps: inProcess },
  { name: 'nest-express', program: own('nest-express'), ...paths, operations, keeps: inProcess },
  { name: 'nest-fastify', program: own('nest-fastify'), ...paths, operations, keeps: inProcess },
  {
    name: 'json-server',
    program: own('json-server'),
    path: '/bookings',
    // The first 20: it sorts all bookings for the newest.
    listPath: '/bookings?_limit=20',
    operations: ['get', 'list', 'create'],
    share: 0.1,
    keeps: 'Nothing: it books what it is sent.',
  },
  { name: 'memory', program: service, ...paths, operations, keeps: always },
  onPostgres(
    'bare-pg',
    own('bare-pg'),
    'The constraint of the service: no overlap; its keys have no payload to compare.',
  ),
  onPostgres('nest-typeorm', own('nest-typeorm'), afterLook),
  onPostgres('nest-drizzle', own('nest-drizzle'), afterLook),
  onPostgres('postgres', service, always),
];

function onPostgres(name: ContenderName, program: string, keeps: string): Contender {
  const database = `comparison_${name.replace('-', '_')}`;
  return { name, program, ...paths, operations, share: 0.5, database, keeps };
}

function own(name: string): string {
  return fileURLToPath(new URL(`contenders/${name}.js`, import.meta.url));
}
