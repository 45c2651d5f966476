import { fileURLToPath } from 'node:url';

export type Operation = 'get' | 'list' | 'create' | 'rejected' | 'replay';
export const operations: readonly Operation[] = ['get', 'list', 'create', 'rejected', 'replay'];

export const operationNames: Record<Operation, string> = {
  get: 'get',
  list: 'list of 20',
  create: 'create',
  rejected: 'create, 409',
  replay: 'replay',
};

export type ContenderName =
  | 'bare'
  | 'nest-express'
  | 'nest-fastify'
  | 'nest-fastify-equal'
  | 'memory'
  | 'bare-pg'
  | 'nest-typeorm'
  | 'postgres';

export interface Contender {
  readonly name: ContenderName;
  readonly program: string;
  /** Its database, if it uses one. */
  readonly database?: string;
  /** What happens to two overlapping creates at once, and to a create that is sent again. */
  readonly keeps: string;
}

/** The built service. */
export const service = built('../../../apps/api/dist/main.js');
/** The bookings of every contender. */
export const BOOKINGS_PATH = '/v1/bookings';

const inProcess = 'One process, in memory: no overlap, a key has one booking; its payload is not compared.';
const afterCheck =
  'A check, then the insert: two concurrent creates double-book. A key is unique, and a concurrent retry gets a 500.';
const always =
  'No overlap and one booking for a key, whatever runs concurrently; a key with another payload is rejected.';

export const contenders: readonly Contender[] = [
  { name: 'bare', program: own('bare'), keeps: inProcess },
  { name: 'nest-express', program: own('nest-express'), keeps: inProcess },
  { name: 'nest-fastify', program: own('nest-fastify'), keeps: inProcess },
  { name: 'nest-fastify-equal', program: own('nest-fastify-equal'), keeps: inProcess },
  { name: 'memory', program: service, keeps: always },
  onPostgres(
    'bare-pg',
    own('bare-pg'),
    'The constraint of the service: no overlap; its keys have no payload to compare.',
  ),
  onPostgres('nest-typeorm', own('nest-typeorm'), afterCheck),
  onPostgres('postgres', service, always),
];

function onPostgres(name: ContenderName, program: string, keeps: string): Contender {
  const database = `comparison_${name.replace('-', '_')}`;
  return { name, program, database, keeps };
}

function own(name: string): string {
  return built(`../dist/contenders/${name}.js`);
}

/** @param path from this folder, or from the one that it is compiled to */
function built(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
