import { type Check, type Level, levels } from './check.js';
import { checks } from './checks/index.js';
import { Connection } from './connection.js';
import { collectDeliveries } from './deliveries.js';
import { DeploymentPayload } from './deployment.js';
import { EventsReceiver, type Delivered } from './events-receiver.js';
import { Failure, NoResponse, Skipped } from './failure.js';
import { type ConformanceOptions, type Settings, settingsFrom } from './options.js';
import { probe } from './probe.js';
import { type CheckResult, resultOf } from './result.js';
import { Service } from './service.js';

export interface ConformanceReport {
  readonly url: string;
  readonly level: Level;
  readonly readOnly: boolean;
  readonly milliseconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The number of checks that were left when the service stopped accepting connections. */
  readonly notRun: number;
  readonly results: readonly CheckResult[];
}

/**
 * Checks whether a service implements the interface. Other clients may use the service meanwhile.
 *
 * @throws TypeError if an option is invalid
 * @throws UnreachableError, NotCheckableError if the run cannot begin
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const settings = settingsFrom(options);
  const { url, level, readOnly, timeout } = settings;
  const deployment = new DeploymentPayload(settings.payload);
  const connection = new Connection(settings, deployment);
  const startedAt = performance.now();
  // The receiver starts early: an endpoint that was unavailable gets its events only after a pause.
  const receiver = settings.events && (await EventsReceiver.start(settings.events));
  const collect = receiver && ((service: Service): Promise<Delivered> => collectDeliveries(service, receiver, timeout));
  try {
    await probe(connection, settings);
    const service = new Service(connection, readOnly, collect);
    const chosen = checks.filter((check) => levels.indexOf(check.level) <= levels.indexOf(level));
    const results = await runChecks(chosen, service, deployment, settings);
    const milliseconds = Math.round(performance.now() - startedAt);
    const count = (outcome: CheckResult['outcome']): number =>
      results.filter((result) => result.outcome === outcome).length;
    const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
    return { url: url.href, level, readOnly, milliseconds, ...counts, notRun: chosen.length - results.length, results };
  } finally {
    connection.close();
    receiver?.close();
  }
}

async function runChecks(
  chosen: readonly Check[],
  service: Service,
  deployment: DeploymentPayload,
  { slow, onResult }: Settings,
): Promise<CheckResult[]> {
  let isGone = false;
  const run = (check: Check): Promise<CheckResult> =>
    resultOf(check, async () => {
      if (check.slow === true && !slow) throw new Skipped('it takes long: use --slow');
      try {
        await check.run(service);
      } catch (error) {
        isGone ||= error instanceof NoResponse && error.isRefused;
        if (!(error instanceof Failure && deployment.isRejected(error.request))) throw error;
        throw new Skipped("the service's own schema rejects a payload of this check");
      }
    });
  // Slow checks mostly wait, so they run beside all others.
  const begun = new Map(chosen.filter((check) => check.slow).map((check) => [check, run(check)]));
  const results: CheckResult[] = [];
  for (const check of chosen) {
    const result = await (begun.get(check) ?? run(check));
    onResult(result);
    results.push(result);
    if (isGone) break;
  }
  return results;
}
