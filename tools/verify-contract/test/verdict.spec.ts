import { readContract } from '../src/contract.js';
import type { Result } from '../src/report.js';
import { verdictOn } from '../src/verdict.js';
import type { Verification } from '../src/verification.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'contract-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const path = join(folder, 'contract.json');
  writeFileSync(path, content);
  return path;
}

const names = { consumer: { name: 'my-app' }, provider: { name: 'bookings-service' } };
const noBookings = { name: 'no bookings exist' };
const contractOf = (length: number) => ({
  consumer: 'my-app',
  provider: 'bookings-service' as const,
  interactions: Array.from({ length }, (_, index) => ({
    description: `request ${index + 1}`,
    states: [noBookings],
    isPending: false,
  })),
  text: '',
});

const verification = (outcome: Verification['outcome'], printed = ''): Verification => ({
  outcome,
  printed,
  faults: [],
});

const ofOne = { interactionId: '0', interactionDescription: 'a request', mismatches: [], exceptions: [] };
const holds: Result = { ...ofOne, success: true };
const fails: Result = {
  ...ofOne,
  success: false,
  mismatches: [
    { attribute: 'status', description: 'expected 202 but was 200' },
    { attribute: 'header', identifier: 'Link', description: "Expected a header 'Link' but was missing" },
  ],
};
const causes = [
  '            status: expected 202 but was 200',
  "            header Link: Expected a header 'Link' but was missing",
];

describe('A contract', () => {
  it('is read from a pact file, of versions 2 and 4', () => {
    const interactions = [
      { description: 'a booking', providerStates: [{ name: 'no bookings exist' }] },
      { description: 'a list', providerState: 'these bookings exist', pending: true },
      { description: 'a get' },
    ];
    const text = JSON.stringify({ ...names, interactions });
    expect(readContract(file(text))).toEqual({
      consumer: 'my-app',
      provider: 'bookings-service',
      interactions: [
        { description: 'a booking', states: [noBookings], isPending: false },
        { description: 'a list', states: [{ name: 'these bookings exist' }], isPending: true },
        { description: 'a get', states: [], isPending: false },
      ],
      text,
    });
  });

  it('may be one of events, with the provider of that name', () => {
    const ofEvents = { ...names, provider: { name: 'bookings-service-events' } };
    const interactions = [{ description: 'the event of a booking' }];
    expect(readContract(file(JSON.stringify({ ...ofEvents, interactions })))).toMatchObject({
      provider: 'bookings-service-events',
    });
  });

  it.each([
    ['{', /^.+contract\.json is no pact file: it is not JSON\.$/],
    ['null', /^.+ is no pact file: Invalid input: expected object, received null\.$/],
    [JSON.stringify(names), /^.+ is no pact file: interactions: Invalid input: expected array, received undefined\.$/],
    [
      JSON.stringify({ ...names, interactions: [{}] }),
      /^.+ is no pact file: interactions: 0: description: Invalid input: expected string, received undefined\.$/,
    ],
    [JSON.stringify({ ...names, interactions: [] }), /^.+ has no interactions: there is nothing to verify\.$/],
    [
      JSON.stringify({ ...names, provider: { name: 'rooms' }, interactions: [] }),
      /^.+ is a contract with the provider rooms; this service is bookings-service and bookings-service-events\.$/,
    ],
  ])('is none where the file has %s', (content, message) => {
    expect(() => readContract(file(content))).toThrow(message);
  });

  it('is none where there is no file', () => {
    expect(() => readContract(join(folder, 'none.json'))).toThrow(/none\.json cannot be read: ENOENT\.$/);
  });
});

describe('The verdict', () => {
  it('has at most ten lines where a contract is kept, however long it is', () => {
    expect(verdictOn(contractOf(2), verification('kept'), () => [holds, holds])).toEqual({
      outcome: 'kept',
      lines: [
        'The service keeps the contract of my-app.',
        '  holds   request 1',
        '  holds   request 2',
        '2 interactions',
      ],
    });
    const all = Array.from({ length: 100 }, () => holds);
    const { lines } = verdictOn(contractOf(100), verification('kept'), () => all);
    expect(lines).toHaveLength(10);
    expect(lines.slice(-2)).toEqual(['  holds   93 more', '100 interactions']);
  });

  it('is what the verifier printed where it reported nothing', () => {
    for (const outcome of ['kept', 'broken', 'not verified'] as const) {
      const report = () => {
        throw new Error('The verifier reported 0 times.');
      };
      expect(verdictOn(contractOf(1), verification(outcome, '\u001b[31mno such host\u001b[0m\n'), report)).toEqual({
        outcome: 'not verified',
        lines: ['The contract of my-app was not verified:', 'no such host', 'The verifier reported 0 times.'],
      });
    }
  });

  it('is that nothing was verified where the report and the exit code disagree', () => {
    for (const [outcome, result] of [
      ['broken', holds],
      ['kept', fails],
      ['not verified', holds],
    ] as const) {
      const verdict = verdictOn(contractOf(1), verification(outcome, 'printed'), () => [result]);
      expect([verdict.outcome, verdict.lines[1]]).toEqual(['not verified', 'printed']);
    }
  });

  it('distinguishes interactions with one description by their states', () => {
    const interactions = ['no bookings exist', 'these bookings exist'].map((name) => ({
      description: 'a list',
      states: [{ name }],
      isPending: false,
    }));
    const contract = { ...contractOf(0), interactions };
    expect(verdictOn(contract, verification('broken'), () => [holds, fails]).lines.slice(1)).toEqual([
      '  holds   a list',
      '1 of 2 interactions do not hold:',
      '  breaks  a list (these bookings exist)',
      ...causes,
    ]);
  });

  it('names the fault of a state for the interactions that have its parameters', () => {
    const states = [[{ name: 'a', params: { n: 1 } }], [{ name: 'a', params: { n: 2 } }], []];
    const interactions = states.map((each, index) => ({
      description: `request ${index}`,
      states: each,
      isPending: false,
    }));
    const faults = [
      { state: 'a', params: { n: 2 }, fault: 'The state `a` has a fault:\n  n' },
      { state: '', params: {}, fault: 'The interaction names no state.' },
    ];
    const broken = { ...verification('broken'), faults };
    const { lines } = verdictOn({ ...contractOf(0), interactions }, broken, () => [fails, fails, fails]);
    expect(lines.slice(1)).toEqual([
      '3 of 3 interactions do not hold:',
      '  breaks  request 0 (a)',
      ...causes,
      '  breaks  request 1 (a)',
      '            The state `a` has a fault:',
      '              n',
      '  breaks  request 2',
      '            The interaction names no state.',
    ]);
  });

  it('says what is pending and does not hold, beside what is broken', () => {
    const contract = contractOf(3);
    contract.interactions[1]!.isPending = true;
    const ofSecond = ['  pending request 2 (no bookings exist)', ...causes];
    expect(verdictOn(contract, verification('kept'), () => [holds, fails, holds])).toEqual({
      outcome: 'kept',
      lines: [
        'The service keeps the contract of my-app, apart from what is pending.',
        '  holds   request 1',
        '  holds   request 3',
        '1 of 3 interactions are pending and do not hold yet:',
        ...ofSecond,
      ],
    });
    expect(verdictOn(contract, verification('broken'), () => [holds, fails, fails])).toEqual({
      outcome: 'broken',
      lines: [
        'The service breaks the contract of my-app.',
        '  holds   request 1',
        '1 of 3 interactions are pending and do not hold yet:',
        ...ofSecond,
        '1 of 3 interactions do not hold:',
        '  breaks  request 3 (no bookings exist)',
        ...causes,
      ],
    });
  });
});
