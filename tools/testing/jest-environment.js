import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's environment for Node, except that the `exit` listeners of a test file are called after its last test. Jest's
 * own `process` never emits `exit`, and a service that a failed test has left running would keep Jest from ending.
 */
export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.inherited = new Set(this.global.process.listeners('exit'));
  }

  async teardown() {
    for (const listener of this.global.process.listeners('exit')) {
      if (!this.inherited.has(listener)) listener.call(this.global.process, 0);
    }
    await super.teardown();
  }
}
