import { isTracingAsked } from './tracing/is-tracing-asked.js';

// Tracing changes modules while they are loaded, so it comes before all of them, or not at all.
const tracing = isTracingAsked(process.env) ? (await import('./tracing/start-tracing.js')).startTracing() : undefined;
const { serve } = await import('./serve.js');
await serve(tracing);
