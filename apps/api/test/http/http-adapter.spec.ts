import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';

describe('HttpAdapter', () => {
  it('takes out no more than the layer for hooks: it is all that Nest puts before the routes', () => {
    const { stack } = new ExpressAdapter().getInstance<Express>().router;
    expect(stack).toHaveLength(1);
    expect(String(stack[0]!.handle)).toContain('onRequestHook');
  });
});
