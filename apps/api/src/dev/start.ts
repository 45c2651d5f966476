import { serve } from '../serve.js';

// For `pnpm dev`: what was just compiled, file by file.
await serve();
