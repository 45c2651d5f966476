import { changeState, type StateHandlers } from '../src/provider-states.js';

const entered: unknown[] = [];
const handlers: StateHandlers = {
  'no bookings exist': async (parameters) => void entered.push(parameters),
  'these bookings exist': async (parameters) => void entered.push(parameters),
  'these bookings were deleted': async (parameters) => void entered.push(parameters),
};

async function enter(state: string, params?: unknown) {
  const faults: string[] = [];
  const { status } = await changeState({ action: 'setup', state, params }, handlers, (fault) => faults.push(fault));
  return { status, faults };
}

beforeEach(() => void entered.splice(0));

describe('A state', () => {
  it.each([
    ['no bookings exist', undefined],
    ['no bookings exist', {}],
    ['these bookings exist', { bookings: [{ payload: {} }] }],
    ['these bookings were deleted', { bookings: [{ payload: {} }] }],
    ['these bookings exist', { bookings: [{ payload: { slot: null }, idempotency_key: 'a' }, { payload: {} }] }],
  ])('is entered with its parameters: %s %j', async (state, params) => {
    expect(await enter(state, params)).toEqual({ status: 200, faults: [] });
    expect(entered).toEqual([params ?? {}]);
  });

  it.each([
    ['no bookings exist', { bookings: [] }, 'Unrecognized key: "bookings"'],
    ['these bookings exist', undefined, 'bookings: Invalid input: expected array, received undefined'],
    ['these bookings exist', { bookings: [] }, 'bookings: Too small: expected array to have >=1 items'],
    ['these bookings exist', { booking: [{ payload: {} }] }, 'Unrecognized key: "booking"'],
    ['these bookings exist', { bookings: [{}] }, 'payload: Invalid input: expected record, received undefined'],
    ['these bookings exist', { bookings: [{ payload: 'a' }] }, 'payload: Invalid input: expected record'],
    ['these bookings exist', { bookings: [{ payload: [] }] }, 'payload: Invalid input: expected record'],
    ['these bookings exist', { bookings: [{ payload: {}, idempotencyKey: 'a' }] }, 'key: "idempotencyKey"'],
    ['these bookings exist', { bookings: [{ payload: {}, idempotency_key: 1 }] }, 'idempotency_key: Invalid input'],
  ])('is refused with other parameters, by its name and the fault: %s %j', async (state, params, fault) => {
    const { status, faults } = await enter(state, params);
    expect(status).toBe(500);
    expect(faults).toEqual([expect.stringContaining(`The state \`${state}\` has wrong parameters: `)]);
    expect(faults[0]).toContain(fault);
    expect(entered).toEqual([]);
  });

  it.each(['no booking exists', 'No bookings exist', 'toString', '__proto__'])(
    'is refused under another name, with the names that there are: %s',
    async (state) => {
      expect(await enter(state, {})).toEqual({
        status: 500,
        faults: [
          `The state \`${state}\` is not known. There are:
  \`no bookings exist\` (no parameters)
  \`these bookings exist\` (\`bookings\`, a list of { payload, idempotency_key? }, one at least)
  \`these bookings were deleted\` (the same)`,
        ],
      });
    },
  );

  it('is needed: an interaction without one is refused', async () => {
    expect((await enter('')).faults[0]).toMatch(/^The interaction names no state\. There are:/);
  });
});
