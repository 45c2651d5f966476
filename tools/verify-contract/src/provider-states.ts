import * as z from 'zod';

const bookings = z.strictObject({
  bookings: z
    .array(z.strictObject({ payload: z.record(z.string(), z.unknown()), idempotency_key: z.string().optional() }))
    .min(1),
});

const parametersOf = {
  'no bookings exist': z.strictObject({}),
  'these bookings exist': bookings,
  'these bookings were deleted': bookings,
};

type StateName = keyof typeof parametersOf;

/** Parameters of the states `these bookings exist` and `these bookings were deleted`. */
export type BookingsState = z.output<typeof bookings>;

/** Put the provider into each state. They return the values that the state gives to the requests of its interaction. */
export type StateHandlers = {
  readonly [Name in StateName]: (parameters: z.output<(typeof parametersOf)[Name]>) => Promise<object | void>;
};

/** What the verifier requests before and after an interaction. */
export interface StateChange {
  readonly action: 'setup' | 'teardown';
  /** Empty for an interaction that names none. */
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
const described: Record<StateName, string> = {
  'no bookings exist': 'no parameters',
  'these bookings exist': '`bookings`, a list of { payload, idempotency_key? }, one at least',
  'these bookings were deleted': 'the same',
};

/** Any state but those known, with exactly their parameters, is a failure; `onFault` receives the reason. */
export async function changeState(
  { action, state, params }: StateChange,
  handlers: StateHandlers,
  onFault: (fault: string) => void,
): Promise<Reply> {
  if (action === 'teardown') return { status: 200, body: {} };
  try {
    return { status: 200, body: (await enter(state, params, handlers)) ?? {} };
  } catch (error) {
    return failure((error as Error).message, onFault);
  }
}

async function enter(state: string, params: unknown, handlers: StateHandlers): Promise<object | void> {
  if (!isKnown(state)) {
    const fault = state === '' ? 'The interaction names no state.' : `The state \`${state}\` is not known.`;
    throw new Error(`${fault} There are:\n${statesThere()}`);
  }
  const parameters = parametersOf[state].safeParse(params ?? {});
  if (!parameters.success)
    throw new Error(`The state \`${state}\` has wrong parameters: ${faultsOf(parameters.error)}`);
  const handle = handlers[state] as (parameters: unknown) => Promise<object | void>;
  try {
    return await handle(parameters.data);
  } catch (cause) {
    throw new Error(`The state \`${state}\` cannot be made: ${(cause as Error).message}`, { cause });
  }
}

function isKnown(state: string): state is StateName {
  return Object.hasOwn(parametersOf, state);
}

function faultsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
}

function statesThere(): string {
  return Object.entries(described)
    .map(([name, parameters]) => `  \`${name}\` (${parameters})`)
    .join('\n');
}

/** Without a message the interaction fails, and `onFault` receives the reason. */
export async function readMessage(source: MessageSource | undefined, onFault: (fault: string) => void): Promise<Reply> {
  try {
    if (source === undefined) throw new Error('This provider sends no messages.');
    return { status: 200, body: JSON.parse(await source()) as object };
  } catch (error) {
    return failure((error as Error).message, onFault);
  }
}

function failure(fault: string, onFault: (fault: string) => void): Reply {
  onFault(fault);
  return { status: 500, body: { error: fault } };
}
