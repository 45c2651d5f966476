import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aSecret, LocalPostgres, ServiceProcess, until, webhookSettings } from 'testing';
import { parse } from 'yaml';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook_url: string };
}

const { groups } = parse(read('deploy/observability/alerts.yml')) as { groups: { rules: Rule[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read('deploy/observability/dashboard.json')) as { panels: { targets: Rule[] }[] };
const expressions = [...alerts, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
const used = expressions.flatMap(metricsIn);

/** The names of the metrics in an expression, without functions, labels and strings. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ');
  return [...bare.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b(?!\s*\()/g)].map(([name]) => name);
}

/** The metrics of a service with a database, an issuer and an endpoint. */
async function metricsOfService(): Promise<string> {
  const postgres = await LocalPostgres.start();
  const settings = webhookSettings({ name: 'billing', url: 'http://127.0.0.1:1', secrets: [aSecret()] });
  const service = await ServiceProcess.start({
    ...settings,
    DATABASE_URL: postgres.url('postgres'),
    AUTH_OIDC_ISSUER: 'http://127.0.0.1:1',
    AUTH_OIDC_AUDIENCE: 'bookings',
  });
  let metrics = '';
  await until(async () => {
    metrics = await (await fetch(`${service.url}/metrics`)).text();
    return /^webhook_endpoint_up\{/m.test(metrics);
  });
  await service.stop();
  await postgres.stop();
  return metrics;
}

describe('The metrics', () => {
  let metrics: string;
  beforeAll(async () => (metrics = await metricsOfService()));

  it('include every metric of the alerts and the dashboard', () => {
    expect(new Set(used).size).toBeGreaterThan(15);
    const types = [...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!);
    const names = new Set(['up', ...types.flatMap((name) => [name, `${name}_count`, `${name}_bucket`])]);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });

  it('are in docs/observability.md, except the process metrics of prom-client', () => {
    const ours = [...metrics.matchAll(/^# TYPE (?!process_|nodejs_)(\w+) /gm)].map(([, name]) => name!);
    expect(ours.filter((name) => !read('docs/observability.md').includes(`\`${name}\``))).toEqual([]);
  });
});

describe('The alerts', () => {
  it('have a section each in the runbook, and a link to it', () => {
    const sections = [...read('docs/runbook.md').matchAll(/^### (Booking\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook_url).toMatch(new RegExp(`/docs/runbook\\.md#${alert.toLowerCase()}$`));
  });

  it('select the job for every metric, and so does the dashboard: other services may have the same names', () => {
    const others = expressions.map((expr) => expr.replaceAll(/\w+\{job="booking-service"[^}]*\}/g, ' '));
    expect(others.flatMap(metricsIn)).toEqual([]);
  });

  it('select the job by its name in both examples of a scrape', () => {
    const jobs = alerts.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]*)"/g)].map(([, job]) => job));
    const scrape = parse(read('deploy/observability/prometheus.yml')) as { scrape_configs: { job_name: string }[] };
    const monitor = parse(read('deploy/observability/pod-monitor.yaml')) as {
      spec: { jobLabel: string; selector: { matchLabels: Record<string, string> } };
    };
    const { jobLabel, selector } = monitor.spec;
    const named = [...scrape.scrape_configs.map(({ job_name: name }) => name), selector.matchLabels[jobLabel]];
    expect(new Set(named)).toEqual(new Set(jobs));
  });
});
