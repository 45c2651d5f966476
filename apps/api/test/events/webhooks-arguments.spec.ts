import { UsageError } from '../../src/cli/command.js';
import { readArguments } from '../../src/cli/webhooks-arguments.js';

describe('The arguments of the command for endpoints', () => {
  it.each([
    '',
    'list billing',
    'retry',
    'retry billing one two',
    'retry billing --since 2026-11-22',
    'replay billing',
    'drop billing',
    'forget',
    'ping billing --force',
  ])('are rejected: %j', (line) => {
    expect(() => readArguments(line.split(' ').filter((word) => word !== ''))).toThrow(UsageError);
  });
});
