/** The sizes of `pnpm test:torture`, unless the environment has others. */
process.env.HOSTILE_REQUESTS ||= '30000';
process.env.HOSTILE_PIPELINED ||= '100000';
process.env.MEMORY_CEILING_HEAPS_MIB ||= '64,256,0';
