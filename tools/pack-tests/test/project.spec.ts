import { compile, run, serviceUrl } from './support/consumer.js';

describe('The installed packages, against a running service', () => {
  it('work in a TypeScript project of others, as ES modules', async () => {
    expect(await compile([])).toEqual({ code: 0, printed: '' });
    const { printed } = await run(['--no-warnings', 'main.js', serviceUrl, 'a room of its own']);
    expect(JSON.parse(printed)).toEqual({
      isSame: true,
      rejected: { type: 'urn:problem-type:bookings:slot-taken', status: 409, promised: 409 },
      heldFrom: Date.parse('2026-12-01T09:00:00Z'),
      guests: ['Ada'],
      faults: [{ pointer: '#/Slot', detail: 'is too close to a member the service knows: did you mean `slot`?' }],
    });
  });
});
