import { Controller, Get } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { AccessDecoratorCheck } from '../../src/edge/operation.js';

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
