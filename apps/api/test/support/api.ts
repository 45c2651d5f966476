import request, { type Response, type Test } from 'supertest';
import { type Answer, expectContract } from './contract.js';

export type Api = ReturnType<typeof api>;

/** supertest on a running service; every answer is held against the OpenAPI document. */
export function api(url: string) {
  return request.agent(url).use((pending: unknown) => {
    (pending as Test).expect((response: Response) => expectContract(toAnswer(response)));
  });
}

interface ClientRequest {
  method: string;
  path: string;
}

function toAnswer({ status, headers, text, ...response }: Response): Answer {
  const { method, path } = (response as unknown as { req: ClientRequest }).req;
  return { method, target: path, status, headers, text: text ?? '' };
}
