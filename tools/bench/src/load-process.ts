import { runBurst } from './burst.js';
import type { LoadReply, LoadMessage } from './load.js';
import { runSteady } from './steady.js';

// The process of the load generator: one load after the other, each when it is requested.
process.on('message', (message: LoadMessage) => {
  const running = 'burst' in message ? runBurst(message.burst) : runSteady(message.steady);
  void running.then(
    (result) => process.send!({ result } satisfies LoadReply<unknown>),
    (error: Error) => process.send!({ fault: error.message } satisfies LoadReply<unknown>),
  );
});
