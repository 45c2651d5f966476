import { Controller, Get, type INestApplication, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { BearerGuard } from '../../src/features/auth/bearer.guard.js';
import { TokenVerifier } from '../../src/features/auth/token-verifier.js';
import { HttpAdapter } from '../../src/edge/http-adapter.js';
import { MarkedHandlers, Operation } from '../../src/edge/operation.js';
import { RequestLog } from '../../src/features/monitoring/request-log.js';
import { ProblemFilter } from '../../src/problem.filter.js';
import { RateLimitGuard } from '../../src/features/rate-limit/rate-limit.guard.js';
import { anApiKey, ApiKeysFile, bearer } from '../support/api-keys.js';
import { SETTINGS } from './serve.js';

const reader = anApiKey('reader', 'bookings:read');
const writer = anApiKey('writer', 'bookings:write');
const file = new ApiKeysFile(reader, writer);

afterAll(() => file.remove());

@Controller('elsewhere')
class MovedController {
  @Get(':another_name')
  @Operation('getBooking')
  get(): object {
    return {};
  }
}

@Controller('v1/bookings')
class UnmarkedController {
  @Get('new')
  open(): object {
    return {};
  }
}

/** An application of one controller, with the guards of the service in the wrong order. */
async function applicationOf(controller: Type): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule],
    controllers: [controller],
    providers: [
      MarkedHandlers,
      { provide: TokenVerifier, useValue: new TokenVerifier({ apiKeysFile: file.path, oidc: undefined }) },
      { provide: APP_GUARD, useValue: new RateLimitGuard({ requests: 100, window: 60 }) },
      { provide: APP_GUARD, useClass: BearerGuard },
      { provide: RequestLog, useValue: { recordProblem: () => {} } },
      { provide: APP_FILTER, useClass: ProblemFilter },
    ],
  }).compile();
  return module.createNestApplication(new HttpAdapter(SETTINGS));
}

it('An operation requires its token at any path and after any other guard', async () => {
  const app = await (await applicationOf(MovedController)).init();
  const statusWith = async (authorization: string) =>
    (await request(app.getHttpServer()).get('/elsewhere/1').set('Authorization', authorization)).status;
  expect([await statusWith(''), await statusWith(bearer(writer)), await statusWith(bearer(reader))]).toEqual([
    401, 403, 200,
  ]);
  await app.close();
});

it('A handler without a mark ends the start, which names it', async () => {
  const app = await applicationOf(UnmarkedController);
  await expect(app.init()).rejects.toThrow('UnmarkedController.open needs @Operation(), @NoOperation() or @Public().');
  await app.close();
});
