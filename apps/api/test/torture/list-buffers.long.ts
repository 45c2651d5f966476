import { describeListBuffers } from '../database/list-buffers.js';

/** Some ten minutes long, most of them for 900,000 inserts one by one. */
describeListBuffers(300_000);
