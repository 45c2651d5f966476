import { describeListBuffers } from './list-buffers.js';

/** `pnpm test:torture` does the same with 300,000. */
describeListBuffers(Number(process.env['TEST_LIST_ROWS'] ?? 12_000));
