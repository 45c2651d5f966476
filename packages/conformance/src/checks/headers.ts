import { randomUUID } from 'node:crypto';
import { check, checksOf } from '../check.js';
import type { OutgoingRequest } from '../exchange.js';
import { expectHeader, expectStatus, expectThat } from '../expectations.js';
import { Skipped } from '../failure.js';
import { aResource, aSlot } from '../fixtures.js';
import { COLLECTION, pathOf, post, type Service } from '../service.js';
import { requests, responds } from '../statements.js';

const TARGETS = [COLLECTION, `${COLLECTION}?limit=0`, `${COLLECTION}/nothing`, '/v1/nothing'];

const PRIVATE_CACHING = { headers: { 'cache-control': ['private', 'no-cache'] } };

async function requestId(service: Service, request: Partial<OutgoingRequest>, status?: number): Promise<string> {
  const response = await service.send(request);
  if (status !== undefined) expectStatus(response, status);
  const id = response.headers['x-request-id'];
  const isValid = id !== undefined && /^[!-~]{1,128}$/.test(id);
  expectThat(response, isValid, 'an X-Request-Id', `x-request-id: ${id ?? '(absent)'}`);
  return id!;
}

export const authentication = checksOf('Authentication', 'interface', [
  check('authentication.ignored', '`Authorization` is ignored if no token is required', async (service) => {
    const { status } = await service.get(COLLECTION, { authorization: 'Basic Og==' });
    if (status === 401) throw new Skipped('the service requires a token');
    for (const authorization of ['Bearer conformance', 'Bearer', 'Bearer a, Bearer b', ' ']) {
      expectStatus(await service.get(COLLECTION, { authorization }), 200);
    }
  }),
]);

export const headers = checksOf('Headers', 'interface', [
  check('header.request-id', 'every response has an `X-Request-Id` of its own', async (service) => {
    for (const target of TARGETS) {
      const first = await requestId(service, { target });
      const response = await service.get(target);
      expectThat(response, response.headers['x-request-id'] !== first, 'another X-Request-Id', `${first} again`);
    }
    await requestId(service, { method: 'OPTIONS' }, 204);
    const id = await service.anId();
    await requestId(service, { target: pathOf(id), headers: { 'if-none-match': `"${id}"` } }, 304);
  }),
  check('header.request-id.given', '`X-Request-Id` is that of the caller', async (service) => {
    for (const given of [randomUUID(), 'a', '~!"#$%&\'()*+,-./', 'x'.repeat(128)]) {
      for (const target of TARGETS) {
        expectHeader(await service.get(target, { 'x-request-id': given }), 'x-request-id', given);
      }
    }
  }),
  check('header.request-id.rejected', '`X-Request-Id` is new if that of the caller is invalid', async (service) => {
    for (const given of ['', 'x'.repeat(129), 'a b', '\u00e9']) {
      const id = await requestId(service, { headers: { 'x-request-id': given } });
      const response = await service.get(COLLECTION, { 'x-request-id': given });
      expectThat(response, response.headers['x-request-id'] !== id, 'a new X-Request-Id', id);
    }
  }),
  responds('header.cache-control', 'every response has `Cache-Control: private, no-cache`', PRIVATE_CACHING, (id) => [
    ...requests(['GET', 'HEAD', 'OPTIONS'], ...TARGETS, pathOf(id)),
    { target: pathOf(id), headers: { 'if-none-match': `"${id}"` } },
  ]),
  responds('header.cache-control.create', 'a create has `Cache-Control: private, no-cache`', PRIVATE_CACHING, () => {
    const create = post(JSON.stringify({ slot: aSlot(aResource()) }));
    return [create, create, post('{'), ...requests(['DELETE', 'PUT'], COLLECTION)];
  }),
]);
