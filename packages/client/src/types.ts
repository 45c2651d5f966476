/** The build replaces this module's declarations by those of the contracts, so that the client depends on nothing. */
export type * from '@booking-service/contracts/types';
