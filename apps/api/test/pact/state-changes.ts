import type { VerifierOptions } from '@pact-foundation/pact';
import type { RequestHandler } from 'express';

export type StateHandlers = NonNullable<VerifierOptions['stateHandlers']>;

interface StateChange {
  action: 'setup' | 'teardown';
  state: string;
  params: never;
}

/**
 * Puts the provider into the states that the verifier asks for. pact-js does that too (`stateHandlers`), but says
 * that all is well when a state has no handler or its handler fails. Here that fails the interaction.
 *
 * @param requestFilter gets the other requests, those of the interactions
 */
export function stateChanges(handlers: StateHandlers, requestFilter: RequestHandler = pass): RequestHandler {
  return (request, response, next) => {
    if (request.path !== '/_pactSetup') return requestFilter(request, response, next);
    return change(request.body as StateChange, handlers).then(
      (values) => response.json(values),
      (error: unknown) => response.status(500).json({ error: String(error) }),
    );
  };
}

/** @returns the values that a state gives to the requests of its interaction */
async function change({ action, state, params }: StateChange, handlers: StateHandlers): Promise<object> {
  if (action === 'teardown') return {};
  const handler = handlers[state];
  if (typeof handler !== 'function') throw new Error(`The provider cannot be put in the state \`${state}\`.`);
  return (await handler(params)) ?? {};
}

const pass: RequestHandler = (_request, _response, next) => next();
