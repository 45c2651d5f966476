import type { RequestHandler } from 'express';

interface ReceivedResponse {
  /** Names and values in turn. */
  headers: string[];
  body: string;
}

/** Changes what the service sends, on its way out. */
export function changing(change: (response: ReceivedResponse) => ReceivedResponse): RequestHandler {
  return (_request, response, next) => {
    const writeHead = response.writeHead.bind(response) as (status: number, headers: string[]) => unknown;
    const end = response.end.bind(response) as (body: string) => typeof response;
    let head: [status: number, headers: string[]] | undefined;
    response.writeHead = ((status: number, headers: string[]) => {
      head = [status, headers];
      return response;
    }) as typeof response.writeHead;
    response.end = ((original: string = '') => {
      const [status, originalHeaders] = head ?? [response.statusCode, []];
      const { headers, body } = change({ headers: originalHeaders, body: original });
      writeHead(status, without('Content-Length', headers));
      return end(body);
    }) as typeof response.end;
    next();
  };
}

/** @param headers names and values in turn */
export function without(unwanted: string, headers: string[]): string[] {
  return headers.filter((_, index) => headers[index - (index % 2)] !== unwanted);
}
