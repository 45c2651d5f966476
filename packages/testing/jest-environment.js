import { TestEnvironment } from 'jest-environment-node';

/**
 * Node, where `exit` listeners of a test file run after its last test. Jest gives each file a `process` on which `exit`
 * never happens: what a test that failed left running, such as a service, would keep Jest itself from ending.
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
