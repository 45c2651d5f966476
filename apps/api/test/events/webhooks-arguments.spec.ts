import { readArguments, Usage } from '../../src/cli/webhooks-arguments.js';

describe('The arguments of the command for endpoints', () => {
  it.each([
    ['list', { command: 'list' }],
    ['retry billing', { command: 'retry', name: 'billing', event: undefined }],
    ['retry billing created-1', { event: 'created-1' }],
    ['replay billing --since 2026-11-22T10:00:00Z', { name: 'billing', since: Date.UTC(2026, 10, 22, 10) }],
    ['drop billing created-1', { name: 'billing', event: 'created-1' }],
    ['forget billing', { name: 'billing' }],
  ])('may be %s', (line, expected) => {
    expect(readArguments(line.split(' '))).toMatchObject(expected);
  });

  it.each([
    '',
    'lost',
    'list billing',
    'retry',
    'retry billing one two',
    'retry billing --since 2026-11-22',
    'replay billing',
    'replay billing --since',
    'replay billing --since yesterday',
    'drop billing',
    'forget',
    'ping billing --force',
  ])('are not %j', (line) => {
    expect(() => readArguments(line.split(' ').filter((word) => word !== ''))).toThrow(Usage);
  });
});
