import { compile, project, run, serviceUrl } from './support/consumer.js';

/** What each project prints that books a room, books it again, lists it and checks a payload. */
const outcome = {
  isSame: true,
  rejected: { type: 'urn:problem-type:bookings:slot-taken', status: 409, promised: 409 },
  heldFrom: Date.parse('2026-12-01T09:00:00Z'),
  guests: ['Ada'],
  faults: [{ pointer: '#/Slot', detail: 'is too close to a member the service knows: did you mean `slot`?' }],
};

describe('The installed packages, against a running service', () => {
  it.each(['node-esm', 'typescript-esm'])('work in a project of others: %s', async (name) => {
    const compiled = name === 'node-esm' ? '' : (await compile(project(name), [])).printed;
    expect(compiled).toBe('');
    const { printed } = await run(['--no-warnings', 'main.js', serviceUrl, name], project(name));
    expect(JSON.parse(printed)).toEqual(outcome);
  });
});
