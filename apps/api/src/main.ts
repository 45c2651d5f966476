// Before everything else, and in one copy: decorators write into it.
import 'reflect-metadata';
import { isTracingAsked } from './tracing/is-tracing-asked.js';

/** What `rolldown.config.js` makes of `serve.js`: the same in a few files, which start in a third of the time. */
const JOINED: string = './joined/serve.js';

// Tracing changes packages while they are loaded, one by one, so it comes before all of them, or not at all.
const tracing = isTracingAsked(process.env) ? (await import('./tracing/start-tracing.js')).startTracing() : undefined;
const { serve } = (await import(tracing === undefined ? JOINED : './serve.js')) as typeof import('./serve.js');
await serve(tracing);
