import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Namespace } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parse } from 'yaml';
import { type Manifest, faultsOf } from './kubernetes-types.js';

/** Seconds that the service takes to stop, at most: the default of `SHUTDOWN_TIMEOUT_MS`. */
const SHUTDOWN = 10;
const folder = join(import.meta.dirname, '../kubernetes');
const read = (file: string): Manifest => parse(readFileSync(join(folder, file), 'utf8'), { merge: true }) as Manifest;
const { resources } = read('kustomization.yaml') as unknown as { resources: string[] };
const deployment = read('deployment.yaml') as unknown as Deployment;
const pod = deployment.spec!.template.spec!;
const [service] = pod.containers;

describe('The example for Kubernetes', () => {
  it('names every file of the folder', () => {
    expect(['kustomization.yaml', ...resources].toSorted()).toEqual(readdirSync(folder).toSorted());
  });

  it('has objects of the types that Kubernetes declares, without a member that it does not know', () => {
    expect(faultsOf(Object.fromEntries(resources.map((file) => [file, read(file)])))).toEqual([]);
  });

  it('finds a member that Kubernetes does not know, and a value of another type', () => {
    const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 2 } } as unknown as Manifest;
    const text = { ...deployment, spec: { ...deployment.spec, replicas: '2' } } as unknown as Manifest;
    expect(faultsOf({ misspelt, text })).toEqual([
      expect.stringMatching(/^misspelt: .*"replica"' does not exist/),
      expect.stringMatching(/^text: Type 'string' is not assignable to type 'number'/),
    ]);
  });

  it('keeps the restricted profile of pod security, which its namespace enforces', () => {
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
    expect(pod.volumes).toBeUndefined();
  });

  it('gives a replica that stops the time that it takes', () => {
    const drain = service!.lifecycle!.preStop!.sleep!.seconds;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + SHUTDOWN);
  });

  it('restarts a replica that is not alive, and takes out one that is not ready', () => {
    expect(service!.livenessProbe!.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(service!.startupProbe!.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(service!.readinessProbe!.httpGet).toEqual({ path: '/health/ready', port: 'http' });
  });

  it('has one label by which everything finds the pods', () => {
    const { labels } = deployment.spec!.template.metadata!;
    const budget = read('disruption-budget.yaml') as unknown as PodDisruptionBudget;
    expect(deployment.spec!.selector.matchLabels).toEqual(labels);
    expect(budget.spec!.selector!.matchLabels).toEqual(labels);
    expect(read('service.yaml')).toMatchObject({ spec: { selector: labels } });
    expect(read('network-policy.yaml')).toMatchObject({ spec: { podSelector: { matchLabels: labels } } });
  });
});
