/** Puts the provider into a state. @returns the values that the state gives to the requests of its interaction */
export type StateHandlers = Readonly<Record<string, (parameters: unknown) => Promise<object | void>>>;

/** What the verifier requests before and after an interaction. */
export interface StateChange {
  readonly action: 'setup' | 'teardown';
  readonly state: string;
  readonly params: unknown;
}

/** What the verifier requests to check a message against a contract, once the provider is in its state. */
export interface MessageRequest {
  readonly action: 'message';
}

/** Returns the message, which is JSON. */
export type MessageSource = () => Promise<string>;

/** The response to a request of the verifier; a status of 500 fails the interaction. */
export interface Reply {
  readonly status: 200 | 500;
  readonly body: object;
}

/** The parameters of each state, described for people. */
export const providerStates = {
  'no bookings exist': 'no parameters',
  'these bookings exist': '`bookings`, a list of { payload, idempotency_key? }, one at least',
};

/** A state without a handler, or whose handler fails, is a failure; `onFault` receives the reason. */
export async function changeState(
  { action, state, params }: StateChange,
  handlers: StateHandlers,
  onFault: (state: string, fault: string) => void = () => {},
): Promise<Reply> {
  if (action === 'teardown') return { status: 200, body: {} };
  try {
    const handler = handlers[state];
    if (handler === undefined) throw new Error(`The provider cannot be put in the state \`${state}\`.`);
    return { status: 200, body: (await handler(params)) ?? {} };
  } catch (error) {
    onFault(state, (error as Error).message);
    return { status: 500, body: { error: String(error) } };
  }
}

/** Without a message the interaction fails, and `onFault` receives the reason. */
export async function readMessage(source: MessageSource | undefined, onFault: (fault: string) => void): Promise<Reply> {
  try {
    if (source === undefined) throw new Error('This provider sends no messages.');
    return { status: 200, body: JSON.parse(await source()) as object };
  } catch (error) {
    onFault((error as Error).message);
    return { status: 500, body: { error: String(error) } };
  }
}
