import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import { LocalPostgres, ServiceProcess } from 'testing';
import { parse, stringify } from 'yaml';

const workspace = join(import.meta.dirname, '../..');
const folder = join(workspace, 'deploy/observability');
const read = (file: string): string => readFileSync(join(workspace, file), 'utf8');

interface PodMonitor {
  metadata: { namespace: string };
  spec: {
    jobLabel: string;
    selector: { matchLabels: Record<string, string> };
    podMetricsEndpoints: { port: string; path: string }[];
  };
}

interface Panel {
  type: string;
  title: string;
  targets?: { expr: string }[];
}

const { groups } = parse(read('deploy/observability/alerts.yml')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read('deploy/observability/dashboard.json')) as { panels: Panel[] };
const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool)
  process.stderr.write('promtool (Debian package prometheus) is not installed: alert rules are not tested.\n');
const withPromtool = hasPromtool ? it : it.skip;

function promtool(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  expect({ status, printed: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, printed: '' });
}

/** Names of metrics in an expression: those that are not functions, labels or text. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ');
  return [...bare.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b(?!\s*\()/g)].map(([name]) => name);
}

/** Prometheus itself has `up`; the others are not there before the issuer was reached, and before an event was sent. */
const WITHOUT_VALUE = new Set(['up', 'oidc_keys_age_seconds', 'webhook_attempts_total']);

describe.each(['15', '18'] as const)('The metrics on PostgreSQL %s', (major) => {
  let metrics: string;

  beforeAll(async () => {
    const data = mkdtempSync(join(tmpdir(), 'observability-'));
    const postgres = await LocalPostgres.start(data, [], { major });
    const webhooks = join(data, 'webhooks.json');
    const secrets = [`whsec_${Buffer.alloc(24).toString('base64')}`];
    // Nothing listens there either.
    const endpoint = { name: 'billing', url: 'http://127.0.0.1:1', secrets, from: 'now' };
    writeFileSync(webhooks, JSON.stringify({ endpoints: [endpoint] }));
    try {
      const service = await ServiceProcess.start({
        WEBHOOKS_FILE: webhooks,
        WEBHOOKS_ALLOW_PRIVATE: 'true',
        DATABASE_URL: postgres.url('postgres'),
        RATE_LIMIT: '1000',
        // Nothing listens there.
        AUTH_OIDC_ISSUER: 'http://127.0.0.1:1',
        AUTH_OIDC_AUDIENCE: 'bookings',
      });
      // The state of an endpoint is read some time after the start, and a scrape counts itself only in the next one.
      for (const end = performance.now() + 20_000; ; await sleep(50)) {
        metrics = await (await fetch(`${service.url}/metrics`)).text();
        if (withoutValue().length === 0 || performance.now() > end) break;
      }
      await service.stop();
    } finally {
      await postgres.stop();
      rmSync(data, { recursive: true, force: true });
    }
  });

  const names = (): Set<string> => {
    const ofType = [...metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
    const parts = ['_count', '_sum', '_bucket'];
    return new Set([
      'up',
      ...ofType.flatMap(([, name, type]) => (type === 'histogram' ? parts.map((part) => name! + part) : [name!])),
    ]);
  };

  /** Metrics of alerts that have a name only, of which no alert would ever be raised. */
  const withoutValue = (): string[] =>
    alerts
      .flatMap(({ expr }) => metricsIn(expr))
      .filter((name) => !WITHOUT_VALUE.has(name) && !new RegExp(`^${name}[{ ]`, 'm').test(metrics));

  it('have values, of all that the alerts use', () => expect(withoutValue()).toEqual([]));

  it('include all that the alerts and the dashboard use', () => {
    const used = [...alerts.map(({ expr }) => expr), ...shown].flatMap(metricsIn);
    expect(new Set(used).size).toBeGreaterThan(15);
    expect([...new Set(used)].filter((name) => !names().has(name))).toEqual([]);
  });

  it('are in docs/observability.md, except those of the process by prom-client', () => {
    const documented = read('docs/observability.md');
    const ours = [...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!);
    const unnamed = ours.filter((name) => !/^(?:process|nodejs)_/.test(name) && !documented.includes(`\`${name}\``));
    expect(unnamed).toEqual([]);
  });

  withPromtool('follow the conventions of Prometheus', () => {
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    expect(stdout + stderr).toBe('');
  });
});

describe('The alert rules', () => {
  withPromtool('are valid', () => promtool('check', 'rules', 'alerts.yml'));

  withPromtool('are silent for a healthy service, and each is raised by its fault', () => {
    promtool('test', 'rules', 'alerts.test.yml');
  });

  withPromtool('select the job by the name that the example of a scrape gives it', () => {
    promtool('check', 'config', 'prometheus.yml');
    const { scrape_configs: jobs } = parse(read('deploy/observability/prometheus.yml')) as {
      scrape_configs: { job_name: string }[];
    };
    const selected = [...alerts.map(({ expr }) => expr), ...shown].flatMap((expr) =>
      [...expr.matchAll(/job="([^"]*)"/g)].map(([, job]) => job!),
    );
    expect(selected.length).toBeGreaterThan(2);
    expect(new Set(selected)).toEqual(new Set(jobs.map(({ job_name: name }) => name)));
  });

  it('select the job by the name that the PodMonitor gives it, which finds the pods of the example', () => {
    const { metadata, spec } = parse(read('deploy/observability/pod-monitor.yaml')) as PodMonitor;
    const deployment = parse(read('deploy/kubernetes/deployment.yaml'), { merge: true }) as Deployment;
    const { metadata: pod, spec: program } = deployment.spec!.template;
    expect(pod!.labels![spec.jobLabel]).toBe('booking-service');
    expect(pod!.labels).toMatchObject(spec.selector.matchLabels);
    const [endpoint] = spec.podMetricsEndpoints;
    expect(program!.containers[0]!.ports!.map(({ name }) => name)).toContain(endpoint!.port);
    expect(parse(read('deploy/kubernetes/kustomization.yaml'))).toMatchObject({ namespace: metadata.namespace });
  });

  it('are each tested on a healthy service and on its fault', () => {
    const { tests } = parse(read('deploy/observability/alerts.test.yml')) as {
      tests: { alert_rule_test?: { alertname: string }[] }[];
    };
    const names = alerts.map(({ alert }) => alert);
    const [healthy, fault] = tests;
    for (const group of [healthy, fault]) {
      expect(group!.alert_rule_test!.map(({ alertname }) => alertname)).toEqual(names);
    }
  });

  it('have a section each in the runbook, which has no others', () => {
    const sections = [...read('docs/runbook.md').matchAll(/^### (Booking\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
  });
});

describe('The dashboard', () => {
  withPromtool('has expressions that Prometheus accepts', () => {
    const rules = shown.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }));
    const file = join(mkdtempSync(join(tmpdir(), 'dashboard-')), 'rules.yml');
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
    promtool('check', 'rules', '--lint=none', file);
    rmSync(join(file, '..'), { recursive: true });
  });

  it('has the panels that docs/observability.md shows', () => {
    const documented = read('docs/observability.md');
    const titles = panels.map(({ title }) => title);
    expect(titles.length).toBeGreaterThan(15);
    expect(titles.filter((title) => !documented.includes(title))).toEqual([]);
  });
});
