import { check, checksOf } from '../check.js';
import { expectStatus } from '../expectations.js';
import { Skipped } from '../failure.js';
import { COLLECTION } from '../service.js';

export const authentication = checksOf('Authentication', 'interface', [
  check('authentication.ignored', '`Authorization` is ignored where no token is required', async (service) => {
    const { status } = await service.get(COLLECTION, { authorization: 'Basic Og==' });
    if (status === 401) throw new Skipped('the service requires a token');
    for (const authorization of ['Bearer conformance', 'Bearer', 'Bearer a, Bearer b', ' ']) {
      expectStatus(await service.get(COLLECTION, { authorization }), 200);
    }
  }),
]);
