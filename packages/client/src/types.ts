/** The types of the contracts. The build copies their declarations here, so that the client has no dependencies. */
export type * from '@booking-service/contracts/types';
