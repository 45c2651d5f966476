import { maxHeaderSize } from 'node:http';
import { clientProblem, rawProblem } from '../../src/http/client-error.js';
import { Problem } from '../../src/http/problem.js';

describe('clientProblem', () => {
  it.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout', /time/],
    ['HPE_HEADER_OVERFLOW', 'headers-too-large', new RegExp(` ${maxHeaderSize} bytes`)],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'payload-too-large', /chunk extensions/],
    ['HPE_INVALID_METHOD', 'invalid-request', /not HTTP\/1\.1/],
    [undefined, 'invalid-request', /not HTTP\/1\.1/],
  ])('of %s is %s', (code, type, detail) => {
    const problem = clientProblem(Object.assign(new Error(), { code }));
    expect(problem.type).toBe(type);
    expect(problem.detail).toMatch(detail);
  });
});

describe('rawProblem', () => {
  const problem = new Problem('invalid-request', 'Grüße', { headers: { Allow: 'GET' } });
  const context = { requestId: 'mine', instance: '/v1', isHead: false };

  it('is a whole response behind which the connection is closed', () => {
    const [head, body] = rawProblem(problem, context).split('\r\n\r\n') as [string, string];
    expect(head.split('\r\n')).toEqual(
      expect.arrayContaining([
        'HTTP/1.1 400 Bad Request',
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        expect.stringMatching(/^Date: .* GMT$/),
        'Connection: close',
        'Allow: GET',
        'Cache-Control: private, no-cache',
        'X-Request-Id: mine',
      ]),
    );
    expect(JSON.parse(body)).toMatchObject({ status: 400, detail: 'Grüße', instance: '/v1' });
  });

  it('has no content for HEAD, and the length that it would have', () => {
    const [head, ...rest] = rawProblem(problem, { ...context, isHead: true }).split('\r\n\r\n');
    expect(rest).toEqual(['']);
    expect(head).toMatch(/Content-Length: [1-9]\d\d/);
  });
});
