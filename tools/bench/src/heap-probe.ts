// Loaded before a server (`node --expose-gc --import`): says on demand how much of the heap is in use.
process.on('message', () => {
  const { gc } = globalThis as { gc?: () => void };
  gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
// The channel must not keep the server alive.
process.channel?.unref();
