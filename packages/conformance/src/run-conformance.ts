import { type Check, type Level, levels } from './check.js';
import { checks } from './checks/index.js';
import { Connection } from './connection.js';
import { DeploymentPayload } from './deployment.js';
import { EventsReceiver, type Delivered } from './events-receiver.js';
import { Failure, ServiceGone, Skipped } from './failure.js';
import { type ConformanceOptions, type Settings, settingsFrom } from './options.js';
import { type CheckResult, resultOf } from './result.js';
import { Service } from './service.js';
import { Specimens } from './specimens.js';
import { probe } from './probe.js';
import { collectDeliveries } from './deliveries.js';

export interface ConformanceReport {
  readonly url: string;
  readonly level: Level;
  readonly readOnly: boolean;
  readonly milliseconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** In the order of the interface; they end where the service no longer accepts connections. */
  readonly results: readonly CheckResult[];
}

/**
 * Checks whether a service keeps the interface. It may hold the bookings of others, who may go on writing.
 *
 * @throws TypeError when an option is not as {@link ConformanceOptions} says
 * @throws UnreachableError, NotCheckableError
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const settings = settingsFrom(options);
  const deployment = new DeploymentPayload(settings.payload);
  const { url, headers, timeout, onResponse } = settings;
  const connection = new Connection(url, headers, timeout, deployment, onResponse);
  const startedAt = performance.now();
  // From the first booking on: an endpoint that is away is tried again after a pause.
  const receiver = settings.events && (await EventsReceiver.start(settings.events));
  try {
    await probe(connection, settings);
    const results = await runChecks(connection, deployment, settings, receiver);
    const count = (outcome: CheckResult['outcome']): number => results.filter((one) => one.outcome === outcome).length;
    return {
      url: settings.url.href,
      level: settings.level,
      readOnly: settings.readOnly,
      milliseconds: Math.round(performance.now() - startedAt),
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      results,
    };
  } finally {
    connection.close();
    receiver?.close();
  }
}

async function runChecks(
  connection: Connection,
  deployment: DeploymentPayload,
  settings: Settings,
  receiver: EventsReceiver | undefined,
): Promise<CheckResult[]> {
  const specimens = new Specimens(connection, settings.readOnly);
  let delivered: Promise<Delivered> | undefined;
  const events =
    receiver &&
    ((service: Service): Promise<Delivered> => (delivered ??= collectDeliveries(service, receiver, settings.timeout)));
  let isGone = false;
  const run = (check: Check): Promise<CheckResult> =>
    resultOf(check, async () => {
      expectAllowed(check, settings);
      try {
        await check.run(new Service(connection, specimens, check.writes, events));
      } catch (error) {
        isGone ||= error instanceof ServiceGone;
        if (!(error instanceof Failure && deployment.isRejected(error.request))) throw error;
        throw new Skipped("the service's own schema rejects a payload of it");
      }
    });
  const chosen = checks.filter(({ level }) => levels.indexOf(level) <= levels.indexOf(settings.level));
  // One after the other, but for those that only wait.
  const begun = new Map(chosen.filter(({ slow }) => slow).map((check) => [check, run(check)]));
  const results: CheckResult[] = [];
  for (const check of chosen) {
    const result = await (begun.get(check) ?? run(check));
    settings.onResult(result);
    results.push(result);
    if (isGone) break;
  }
  return results;
}

/** @throws Skipped */
function expectAllowed({ writes, slow = false }: Check, settings: Settings): void {
  if (writes && settings.readOnly) throw new Skipped('it writes, and this run is read-only');
  if (slow && !settings.slow) throw new Skipped('it takes long, and this run is not slow');
}
