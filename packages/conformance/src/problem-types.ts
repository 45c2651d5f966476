/** The problem types of the contracts. The build copies their code here, so that the kit has no dependencies. */
export { type ProblemName, problemType, problemTypes } from '@booking-service/contracts/problem-types';
