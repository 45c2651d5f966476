import {
  createBookingSchema,
  operations,
  payloadExamples,
  problemTypes,
  requestHeaders,
  responseHeaders,
  type OperationContract,
  validate,
} from '../src/index.js';

const all: OperationContract[] = Object.values(operations);

describe('the operations', () => {
  it('are labelled as a preview', () => {
    for (const { summary } of all) expect(summary).toMatch(/\(preview\)$/);
  });

  it('have examples that keep to their schemas', () => {
    for (const { success } of all)
      expect(validate(success.schema, success.example)).toEqual({ value: success.example });
    for (const { value } of Object.values(payloadExamples))
      expect(validate(createBookingSchema, value)).toEqual({ value });
  });

  it('are those that problem types name', () => {
    const named = Object.values(problemTypes).flatMap((problem) =>
      'operations' in problem ? [problem.operations] : [],
    );
    const ids = new Set(named.flat());
    expect([...ids].filter((id) => !id.startsWith('all') && !Object.hasOwn(operations, id))).toEqual([]);
  });

  it('have headers whose examples keep to their patterns', () => {
    const withExample = Object.values(responseHeaders).filter((header) => 'example' in header);
    for (const { schema, example } of withExample) expect(example).toMatch(new RegExp(schema.pattern));
    const { pattern, examples } = requestHeaders['Idempotency-Key'].schema;
    for (const example of examples) expect(example).toMatch(new RegExp(pattern));
  });

  it('need a token that reads where they read, and one that writes where they write', () => {
    for (const { method, scope } of all) expect(scope).toBe(method === 'GET' ? 'bookings:read' : 'bookings:write');
  });
});
