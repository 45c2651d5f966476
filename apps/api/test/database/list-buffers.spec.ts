import { describeListBuffers } from './list-buffers.js';

/** `pnpm test:torture` does the same with 300,000. */
const ROWS = Number(process.env['TEST_LIST_ROWS'] ?? 12_000);

describeListBuffers(ROWS, 50);
// With so many for each resource the planner expects one row where several bounds meet, and no order pays for one row.
describeListBuffers(ROWS, Math.round(ROWS / 2_000), ['at random']);
