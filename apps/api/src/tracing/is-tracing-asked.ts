/**
 * Whether the standard variables of OpenTelemetry ask for traces (OpenTelemetry, "Environment Variable
 * Specification"): by an exporter, or by where it sends to.
 */
export function isTracingAsked(env: Record<string, string | undefined>): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const exporter = env['OTEL_TRACES_EXPORTER'];
  if (exporter) return exporter !== 'none';
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
