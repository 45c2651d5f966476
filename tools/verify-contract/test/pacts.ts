import { type Interaction, pactOf } from './verify-contract.js';

export const pact = pactOf('examples/front-desk/pacts/front-desk-bookings-service.json');
export const free = pact.interactions.find(({ description }) => description === 'a form for a room that is free')!;
export const taken = pact.interactions.find(({ description }) => description === 'a form for a room that is taken')!;
export const broken = { ...free, response: { status: 418 } };
export const inState = (...providerStates: Interaction['providerStates'] & object): Interaction => ({
  ...free,
  providerStates,
});
export const moon = inState({ name: 'the moon is full' });
export const noSuchState =
  'There is no state "the moon is full". ' +
  'The states are: no bookings exist, these bookings exist, these bookings were deleted.';

export const events = pactOf('examples/front-desk/pacts/front-desk-bookings-service-events.json');
