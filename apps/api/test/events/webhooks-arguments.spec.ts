import { readArguments, Usage } from '../../src/cli/webhooks-arguments.js';

describe('The arguments of the command for endpoints', () => {
  it.each([
    ['list', { command: 'list', isForced: false }],
    ['retry billing', { command: 'retry', name: 'billing', sequence: undefined }],
    ['retry billing 7', { sequence: 7 }],
    ['replay billing --from 7', { name: 'billing', from: 7, since: undefined }],
    ['replay billing --since 2026-11-22T10:00:00Z', { from: undefined, since: Date.UTC(2026, 10, 22, 10) }],
    ['drop billing 7', { name: 'billing', sequence: 7 }],
    ['renumber', { from: undefined }],
    ['renumber --from 7', { from: 7 }],
    ['off', { isForced: false }],
    ['off --force', { isForced: true }],
  ])('may be %s', (line, expected) => {
    expect(readArguments(line.split(' '))).toMatchObject(expected);
  });

  it.each([
    '',
    'lost',
    'list billing',
    'retry',
    'retry billing 0',
    'retry billing 7 8',
    'retry billing --force',
    'replay billing',
    'replay billing --from 0',
    'replay billing --from',
    'replay billing --since yesterday',
    'replay billing --from 7 --since 2026-11-22',
    'drop billing',
    'drop billing x',
    'forget',
    'renumber 7',
    'off billing',
    'off --from 3',
    'off --forced',
  ])('are not %j', (line) => {
    expect(() => readArguments(line.split(' ').filter((word) => word !== ''))).toThrow(Usage);
  });
});
