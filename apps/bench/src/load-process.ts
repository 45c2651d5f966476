import { runBurst } from './burst.js';
import type { LoadAnswer, LoadMessage } from './load.js';
import { runSteady } from './steady.js';

// The process of the load generator: one load after the other, each as it is asked for.
process.on('message', (message: LoadMessage) => {
  const running = 'burst' in message ? runBurst(message.burst) : runSteady(message.steady);
  void running.then(
    (result) => process.send!({ result } satisfies LoadAnswer<unknown>),
    (error: Error) => process.send!({ fault: error.message } satisfies LoadAnswer<unknown>),
  );
});
