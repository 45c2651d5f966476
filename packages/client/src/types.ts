/** The build replaces these declarations by those of the contracts, so that the client depends on no package. */
export type * from '@booking-service/contracts/types';
