/** Puts the provider into a state. @returns the values that the state gives to the requests of its interaction */
export type StateHandlers = Readonly<Record<string, (parameters: unknown) => Promise<object | void>>>;

/** What the verifier asks for before and after an interaction. */
export interface StateChange {
  readonly action: 'setup' | 'teardown';
  readonly state: string;
  readonly params: unknown;
}

/** The response to a state change; a status of 500 fails the interaction. */
export interface StateReply {
  readonly status: 200 | 500;
  readonly body: object;
}

/** A state that has no handler, or whose handler fails, is a failure. */
export async function changeState(
  { action, state, params }: StateChange,
  handlers: StateHandlers,
): Promise<StateReply> {
  if (action === 'teardown') return { status: 200, body: {} };
  try {
    const handler = handlers[state];
    if (handler === undefined) throw new Error(`The provider cannot be put in the state \`${state}\`.`);
    return { status: 200, body: (await handler(params)) ?? {} };
  } catch (error) {
    return { status: 500, body: { error: String(error) } };
  }
}
