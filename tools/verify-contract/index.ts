export { type Contract, readContract } from './contract.js';
export { verify } from './verify.js';
