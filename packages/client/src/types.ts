/** The types of the contracts. The build copies their declarations here, so that the client depends on no package. */
export type * from '@booking-service/contracts/types';
