import { once } from 'node:events';
import { Controller, Get } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { RequestHandler } from 'express';
import { until, untilClosed } from 'testing';
import { head } from 'testing/raw-http';
import { AccessDecoratorCheck } from '../../src/edge/operation.js';
import { Serving } from './serve.js';

const { jest } = import.meta;
const respond: RequestHandler = (_, response) => void response.end('done');

describe('The HTTP server', () => {
  let serving: Serving;

  afterEach(() => {
    jest.restoreAllMocks();
    serving.stop();
  });

  it('handles a target in absolute form as its path', async () => {
    serving = await Serving.start((request, response) => void response.end(request.url));
    const received = await untilClosed(serving.url, head('GET http://elsewhere/a?b', 'Connection: close'));
    expect(received).toMatch(/\r\n\r\n\/a\?b$/);
  });

  it('responds to `OPTIONS *` with 204', async () => {
    serving = await Serving.start(respond);
    expect(await untilClosed(serving.url, head('OPTIONS *', 'Connection: close'))).toMatch(/^HTTP\/1\.1 204 /);
  });

  describe('that closes', () => {
    it('waits 100 ms for a request on its way, and closes the connection after it', async () => {
      serving = await Serving.start(respond);
      const now = performance.now();
      const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
      const { client, received } = await serving.send('');
      const { socket } = await serving.send('');
      clock.mockReturnValue(now + 100);
      const closed = serving.adapter.close();
      client.write(head('GET /'));
      await until(() => received() !== '');
      expect(received()).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r/s);
      expect(socket.destroyed).toBe(false);
      clock.mockReturnValue(now + 101);
      await until(() => socket.destroyed);
      client.destroy();
      await closed;
    });

    it('completes a response that is being read', async () => {
      const large = 16 * 1_048_576;
      serving = await Serving.start((_, response) => void response.end(Buffer.alloc(large)));
      const client = await serving.connect();
      client.write(head('GET /'));
      await once(serving.server, 'request');
      const closed = serving.adapter.close();
      client.resume();
      await once(client, 'end');
      client.end();
      expect(client.bytesRead).toBeGreaterThan(large);
      await closed;
    });

    it('keeps its time limits', async () => {
      serving = await Serving.start(() => {}, { requestTimeout: 1_000 });
      const { received } = await serving.send(head('POST /', 'Content-Length: 2'));
      await once(serving.server, 'request');
      await serving.adapter.close();
      expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    });

    it('has reported every request to its observer once it is closed', async () => {
      serving = await Serving.start(() => {});
      const observed: unknown[] = [];
      serving.adapter.observer = {
        completed: (_request, _response, _seconds, status) => void observed.push(status),
        rejected: () => {},
      };
      const client = await serving.connect();
      client.write(head('GET /'));
      await once(serving.server, 'request');
      expect(serving.adapter.server.requestsInFlight).toBe(1);
      const closed = serving.adapter.close();
      serving.server.closeAllConnections();
      await closed;
      expect(observed).toEqual(['aborted']);
    });
  });
});

@Controller('v1/bookings')
class UndecoratedController {
  @Get('new')
  open(): object {
    return {};
  }
}

it('The service does not start with a handler that has no access decorator, and names it', async () => {
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule],
    controllers: [UndecoratedController],
    providers: [AccessDecoratorCheck],
  }).compile();
  await expect(module.init()).rejects.toThrow(
    'UndecoratedController.open needs @Operation(), @AnyToken() or @Public().',
  );
});
