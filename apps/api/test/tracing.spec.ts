import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type LogLine, ServiceProcess } from 'testing';
import { isTracingEnabled } from '../src/tracing.js';
import { until } from './support/until.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

interface Export {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

/** As much of OTLP over HTTP as a collector needs: JSON to `/v1/traces`. */
async function startCollector(): Promise<{ server: Server; url: string; spans: Span[] }> {
  const spans: Span[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { resourceSpans } = (await json(request)) as Export;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => {
    void take(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const attributeOf = ({ attributes }: Span, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

/**
 * Prints, when the process ends, how many modules of OpenTelemetry it has loaded; they are CommonJS.
 * Its empty interface does not count: prom-client loads that.
 */
const COUNT_LOADED = `data:text/javascript,
  import Module from 'node:module';
  process.on('exit', () => {
    const loaded = Object.keys(Module._cache).filter((file) => file.includes('@opentelemetry/') && !file.includes('@opentelemetry/api/'));
    console.log(JSON.stringify({ level: 'test', msg: 'loaded', count: loaded.length }));
  });`;

async function loadedBy(env: Record<string, string>): Promise<unknown> {
  const service = await ServiceProcess.start(env, ['--import', COUNT_LOADED.replaceAll('\n', '')]);
  await fetch(`${service.url}/v1/bookings`);
  expect(await service.stop()).toEqual([0, null]);
  return service.lines.find(({ msg }) => msg === 'loaded')?.['count'];
}

describe('Tracing', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const parentId = '00f067aa0ba902b7';

  it('continues the trace of the caller, through the route to the database, and its ids are in the log', async () => {
    const collector = await startCollector();
    const database = await createTestDatabase();
    const service = await ServiceProcess.start({
      DATABASE_URL: database.url,
      ACCESS_LOG: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    const headers = { traceparent: `00-${traceId}-${parentId}-01` };
    expect((await fetch(`${service.url}/v1/bookings/secret?secret`, { headers })).status).toBe(404);
    expect((await fetch(`${service.url}/v1/bookings?resource_id=secret`, { headers })).status).toBe(200);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    // Remaining spans are sent at the end.
    expect(await service.stop()).toEqual([0, null]);
    collector.server.close();
    await database.drop();

    const ofRequest = collector.spans.find(({ name }) => name === 'GET /v1/bookings')!;
    expect(ofRequest).toMatchObject({ traceId, parentSpanId: parentId });
    expect(attributeOf(ofRequest, 'http.route')).toBe('/v1/bookings');
    const ofStatement = collector.spans.filter(({ parentSpanId }) => parentSpanId === ofRequest.spanId);
    expect(ofStatement.map((span) => attributeOf(span, 'db.system.name') ?? attributeOf(span, 'db.system'))).toContain(
      'postgresql',
    );
    expect(collector.spans.map(({ name }) => name)).toContain('GET /v1/bookings/:booking_id');
    expect(collector.spans.filter((span) => span.traceId !== traceId)).toEqual([]);
    expect(collector.spans.filter((span) => attributeOf(span, 'url.query') !== undefined)).toEqual([]);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ operation: 'listBookings', trace_id: traceId, span_id: ofRequest.spanId }),
    );
  });

  it('loads nothing of OpenTelemetry unless it is turned on', async () => {
    expect(await loadedBy({})).toBe(0);
  });

  it('does not keep the service from serving and stopping if there is no collector', async () => {
    const start = performance.now();
    expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('is logged once, and so is why spans cannot be exported', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '100' };
    const service = await ServiceProcess.start({ ...env, OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
    const logged = (): LogLine[] => service.lines.filter(({ msg }) => ['Tracing is on', 'OpenTelemetry'].includes(msg));
    for (let request = 0; request < 5; request++) {
      await fetch(`${service.url}/v1/bookings`);
      await sleep(200);
    }
    await until(() => logged().length > 1);
    await service.stop();
    expect(logged()).toMatchObject([
      { level: 'info', msg: 'Tracing is on', exporter: 'otlp' },
      {
        level: 'warn',
        msg: 'OpenTelemetry',
        reason: expect.stringMatching(/^Traces cannot be exported: .*ECONNREFUSED/),
      },
    ]);
  });

  it('logs that the exporter is unknown', async () => {
    const service = await ServiceProcess.start({ OTEL_TRACES_EXPORTER: 'jager' });
    await service.stop();
    expect(service.lines.filter(({ msg }) => msg === 'OpenTelemetry').map(({ reason }) => reason)).toEqual([
      'Unrecognized OTEL_TRACES_EXPORTER value: jager.',
      expect.stringMatching(/^Unable to set up trace exporter/),
    ]);
  });

  it.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'x' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x' }, true],
    [{ OTEL_TRACES_EXPORTER: 'console' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, false],
    [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, false],
  ])('is turned on by %j: %s', (env, isEnabled) => {
    expect(isTracingEnabled(env)).toBe(isEnabled);
  });
});
