import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Namespace } from 'kubernetes-types/core/v1.js';
import type { Ingress } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parse } from 'yaml';
import { type Manifest, faultsOf } from './kubernetes-types.js';

/** Maximum seconds that the service takes to stop: the default of `SHUTDOWN_TIMEOUT_MS`. */
const SHUTDOWN = 10;
const folder = join(import.meta.dirname, '../kubernetes');
const read = (file: string): Manifest => parse(readFileSync(join(folder, file), 'utf8'), { merge: true }) as Manifest;
const { resources } = read('kustomization.yaml') as unknown as { resources: string[] };
const deployment = read('deployment.yaml') as unknown as Deployment;
const pod = deployment.spec!.template.spec!;
const [service] = pod.containers;

describe('The example for Kubernetes', () => {
  it('lists every file of the folder', () => {
    expect(['kustomization.yaml', ...resources].toSorted()).toEqual(readdirSync(folder).toSorted());
  });

  it('matches the types of Kubernetes, without unknown members', () => {
    expect(faultsOf(Object.fromEntries(resources.map((file) => [file, read(file)])))).toEqual([]);
  });

  it('finds unknown members and values of another type', () => {
    const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 2 } } as unknown as Manifest;
    const text = { ...deployment, spec: { ...deployment.spec, replicas: '2' } } as unknown as Manifest;
    expect(faultsOf({ misspelt, text })).toEqual([
      expect.stringMatching(/^misspelt: .*"replica"' does not exist/),
      expect.stringMatching(/^text: Type 'string' is not assignable to type 'number'/),
    ]);
  });

  it('conforms to the restricted pod security profile, which its namespace enforces', () => {
    const namespace = read('namespace.yaml') as unknown as Namespace;
    expect(namespace.metadata!.labels!['pod-security.kubernetes.io/enforce']).toBe('restricted');
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of [...pod.initContainers!, ...pod.containers]) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.volumes).toEqual([{ name: 'api-keys', secret: { secretName: 'booking-service-api-keys' } }]);
    expect(service!.volumeMounts).toEqual([{ name: 'api-keys', mountPath: '/etc/booking-service', readOnly: true }]);
  });

  it('gives a stopping replica enough time', () => {
    const drain = service!.lifecycle!.preStop!.sleep!.seconds;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + SHUTDOWN);
  });

  it('restarts a replica that is not live, and takes one that is not ready out of the service', () => {
    expect(service!.livenessProbe!.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(service!.startupProbe!.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(service!.readinessProbe!.httpGet).toEqual({ path: '/health/ready', port: 'http' });
  });

  it('passes on the same paths as the load balancer of compose', () => {
    const { rules } = (read('ingress.yaml') as unknown as Ingress).spec!;
    const paths = rules![0]!.http!.paths.map(({ path, pathType }) => `${path} ${pathType}`);
    const config = readFileSync(join(folder, '../load-balancer.conf'), 'utf8');
    const [, names] = /location ~ \^\/\(\?:\$\|\(\?:(.*?)\)/.exec(config)!;
    const prefixes = names!.split('|').map((name) => `/${name.replace('\\', '')} Prefix`);
    expect(paths).toEqual(['/ Exact', ...prefixes]);
  });

  it('selects the pods by the same label everywhere', () => {
    const { labels } = deployment.spec!.template.metadata!;
    const budget = read('disruption-budget.yaml') as unknown as PodDisruptionBudget;
    expect(deployment.spec!.selector.matchLabels).toEqual(labels);
    expect(budget.spec!.selector!.matchLabels).toEqual(labels);
    expect(read('service.yaml')).toMatchObject({ spec: { selector: labels } });
    expect(read('network-policy.yaml')).toMatchObject({ spec: { podSelector: { matchLabels: labels } } });
  });
});
