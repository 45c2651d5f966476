import { programOf, project, run, serviceUrl } from './support/consumer.js';

/** What each project prints that books a room, books it again, lists it and checks a payload. */
const outcome = {
  isSame: true,
  rejected: { type: 'urn:problem-type:bookings:slot-taken', status: 409, promised: 409 },
  heldFrom: Date.parse('2026-12-01T09:00:00Z'),
  guests: ['Ada'],
  faults: [{ pointer: '#/Slot', detail: 'is too close to a member the service knows: did you mean `slot`?' }],
};

async function outcomeOf(name: string): Promise<unknown> {
  const { printed } = await run(['--no-warnings', 'main.js', serviceUrl, name], project(name));
  return JSON.parse(printed);
}

describe('The installed packages, against a running service', () => {
  it.each([
    ['an ES module of Node', 'node-esm'],
    ['a CommonJS module of Node, by `require`', 'node-commonjs'],
  ])('work in %s', async (_what, name) => {
    expect(await outcomeOf(name)).toEqual(outcome);
  });

  it.each([
    ['an ES module', 'typescript-esm'],
    ['a CommonJS module', 'typescript-commonjs'],
  ])('work in TypeScript with `nodenext`, compiled to %s', async (_what, name) => {
    expect(await run([programOf('typescript', 'tsc')], project(name))).toEqual({ code: 0, printed: '' });
    expect(await outcomeOf(name)).toEqual(outcome);
  });
});
