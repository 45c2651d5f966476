/** The package that consumers rely on, and where it is, from the root of the repository. */
export const CONTRACTS = '@booking-service/contracts';
export const MANIFEST = 'packages/contracts/package.json';
export const DOCUMENT = 'packages/contracts/openapi.json';
