import request, { type Response, type Test } from 'supertest';
import { type ReceivedResponse, expectContract } from 'testing/contract';

export type Api = ReturnType<typeof api>;

/** A client that compares every response with the OpenAPI document. */
export function api(url: string) {
  return request.agent(url).use((pending: unknown) => {
    (pending as Test).expect((response: Response) => expectContract(toResponse(response)));
  });
}

interface ClientRequest {
  method: string;
  path: string;
}

function toResponse({ status, headers, text, ...response }: Response): ReceivedResponse {
  const { method, path } = (response as unknown as { req: ClientRequest }).req;
  return { method, target: path, status, headers, text: text ?? '' };
}
