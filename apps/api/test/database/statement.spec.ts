import { prepared } from '../../src/database/statement.js';

describe('A prepared statement', () => {
  it('is named by its text', () => {
    expect(prepared('SELECT 1').name).toBe(prepared('SELECT 1').name);
    expect(prepared('SELECT 1').name).not.toBe(prepared('SELECT 2').name);
  });

  it('has no members of its own, which pg would copy for each query', () => {
    expect(Object.getOwnPropertyNames(prepared('SELECT 1'))).toEqual([]);
  });
});
