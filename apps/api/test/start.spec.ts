import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { failToStart, ServiceProcess } from './support/service-process.js';

describe('The built service', () => {
  it('says in one line which version it is, where it is and what keeps its bookings', async () => {
    const service = await ServiceProcess.start();
    expect((await fetch(`${service.url}/v1/bookings`)).status).toBe(200);
    expect(await service.stop()).toEqual([0, null]);
    expect(service.lines[0]).toMatchObject({
      level: 'info',
      msg: expect.stringMatching(/^Booking service \(preview\) on http:\/\/localhost:\d+$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+-preview/),
      store: expect.stringMatching(/^memory, .*gone when the service stops$/),
      docs: `http://localhost:${new URL(service.url).port}/docs`,
    });
    expect(service.lines.map(({ msg }) => msg).slice(1)).toEqual(['Stopping', 'Stopped']);
  });

  it('says the same readably where that is wanted', async () => {
    const service = await ServiceProcess.start({ LOG_FORMAT: 'pretty' });
    await service.stop();
    const printed = service.output.join('\n');
    expect(printed).toMatch(/^\[[\d:.]+\] INFO: Booking service \(preview\) on http:\/\/localhost:\d+\n/);
    expect(printed).toContain('    store: "memory, ');
    expect(printed).toContain('INFO: Stopped');
  });

  it('says in one line that its port is in use, and exits with 1', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const { code, stderr } = await failToStart({ PORT: String(port) }).finally(() => blocker.close());
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: the address is in use\. .*\n$/);
  });

  it('says in one line what is wrong with its settings, and exits with 1', async () => {
    const { code, stderr } = await failToStart({ PORT: 'http', MEMORY_MAX_BOOKINGS: '0' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The booking service cannot start: Bad settings: PORT .*; MEMORY_MAX_BOOKINGS .*\n$/);
  });
});
