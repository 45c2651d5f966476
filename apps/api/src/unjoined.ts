import { serve } from './serve.js';

// The service file by file, as it was compiled: for `pnpm dev`, and for agents that change packages while they are loaded.
await serve();
