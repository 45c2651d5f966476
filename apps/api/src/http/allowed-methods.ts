import type { ServerResponse } from 'node:http';
import { Problem } from './problem.js';

/** Answers OPTIONS. @param allow the methods of the path, as `Allow` lists them */
export function answerAllow(response: ServerResponse, allow: string): void {
  response.writeHead(204, ['Allow', allow]).end();
}

/** @throws Problem `method-not-allowed`, always */
export function refuseMethod(allow: string): never {
  throw new Problem('method-not-allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}

/** What a page that is only read takes. */
export const PAGE_METHODS = 'GET, HEAD, OPTIONS';
