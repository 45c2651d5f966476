import { createRequire } from 'node:module';
import { isTracingAsked } from './tracing/is-tracing-asked.js';

// Tracing changes modules while they are loaded, so it comes before all of them, or not at all.
const tracing = isTracingAsked(process.env) ? (await import('./tracing/start-tracing.js')).startTracing() : undefined;
const { serve } = tracing === undefined ? required() : await import('./serve.js');
await serve(tracing);

/** The same modules as `import` gives, one read after the other: `import` waits for each file, 50 ms of a start. */
function required(): typeof import('./serve.js') {
  return createRequire(import.meta.url)('./serve.js') as typeof import('./serve.js');
}
