import { type Contract, readContract } from '../src/contract.js';
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
const contractOf = (length: number) => ({
  consumer: 'my-app',
  provider: 'bookings-service' as const,
  interactions: Array.from({ length }, (_, index) => ({
    description: `request ${index + 1}`,
    states: ['no bookings exist'],
    isPending: false,
  })),
});

/** A verification that printed these interactions, and these lines of failures. */
const verification = (outcome: Verification['outcome'], { interactions }: Contract, ...failures: string[]) => ({
  outcome,
  printed: [
    ...interactions.map(({ description }) => `\n  ${description} (0s loading, 1s verification)`),
    ...failures,
  ].join('\n'),
  stateFaults: new Map(),
});

/** What the verifier prints of an interaction that expects another status. */
const failure = (number: number, description: string, state = 'no bookings exist') => [
  `${number}) Verifying a pact between my-app and bookings-service Given ${state} - ${description}`,
  `    ${number}.1) has status code 202`,
  '           expected 202 but was 200',
];

describe('A contract', () => {
  it('is read from a pact file, of versions 2 and 4', () => {
    const interactions = [
      { description: 'a booking', providerStates: [{ name: 'no bookings exist' }] },
      { description: 'a list', providerState: 'these bookings exist', pending: true },
      { description: 'a get' },
    ];
    expect(readContract(file(JSON.stringify({ ...names, interactions })))).toEqual({
      consumer: 'my-app',
      provider: 'bookings-service',
      interactions: [
        { description: 'a booking', states: ['no bookings exist'], isPending: false },
        { description: 'a list', states: ['these bookings exist'], isPending: true },
        { description: 'a get', states: [], isPending: false },
      ],
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
    ['null', /^.+ is no pact file: it has no consumer, or no interactions\.$/],
    [JSON.stringify(names), /^.+ is no pact file: it has no consumer, or no interactions\.$/],
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
    expect(verdictOn(contractOf(2), verification('kept', contractOf(2)))).toEqual({
      outcome: 'kept',
      lines: [
        'The service keeps the contract of my-app.',
        '  holds   request 1',
        '  holds   request 2',
        '2 interactions',
      ],
    });
    const { lines } = verdictOn(contractOf(100), verification('kept', contractOf(100)));
    expect(lines).toHaveLength(10);
    expect(lines.slice(-2)).toEqual(['  holds   93 more', '100 interactions']);
  });

  it('is what the verifier printed where it found nothing to compare', () => {
    for (const outcome of ['broken', 'not verified'] as const) {
      expect(verdictOn(contractOf(1), { ...verification(outcome, contractOf(0)), printed: 'no such host\n' })).toEqual({
        outcome: 'not verified',
        lines: ['The contract of my-app was not verified:', 'no such host'],
      });
    }
  });

  it('is that nothing was verified where an interaction was left out', () => {
    for (const compared of [0, 1]) {
      const { outcome, lines } = verdictOn(contractOf(2), verification('kept', contractOf(compared)));
      expect([outcome, lines[0]]).toEqual(['not verified', 'The contract of my-app was not verified:']);
    }
    const leftOut = verification('broken', contractOf(1), 'Failures:', '', ...failure(1, 'request 1'));
    expect(verdictOn(contractOf(2), leftOut).outcome).toBe('not verified');
  });

  it('distinguishes interactions with one description by their states', () => {
    const interactions = ['no bookings exist', 'these bookings exist'].map((state) => ({
      description: 'a list',
      states: [state],
      isPending: false,
    }));
    const contract = { ...contractOf(0), interactions };
    const printed = ['Failures:', '', ...failure(1, 'a list', 'these bookings exist')];
    expect(verdictOn(contract, verification('broken', contract, ...printed)).lines.slice(1)).toEqual([
      '  holds   a list',
      '1 of 2 interactions do not hold:',
      '  breaks  a list (these bookings exist)',
      '            status: expected 202 but was 200',
    ]);
  });

  it('says what is pending and does not hold, beside what is broken', () => {
    const contract = contractOf(3);
    contract.interactions[1]!.isPending = true;
    const pending = [
      'Pending Failures:',
      '',
      ...failure(1, 'request 2'),
      '',
      'There were 1 non-fatal pact failures',
      '',
    ];
    const ofSecond = ['  pending request 2 (no bookings exist)', '            status: expected 202 but was 200'];
    expect(verdictOn(contract, verification('kept', contract, ...pending))).toEqual({
      outcome: 'kept',
      lines: [
        'The service keeps the contract of my-app, apart from what is pending.',
        '  holds   request 1',
        '  holds   request 3',
        '1 of 3 interactions are pending and do not hold yet:',
        ...ofSecond,
      ],
    });
    const both = [...pending, 'Failures:', '', ...failure(1, 'request 3')];
    expect(verdictOn(contract, verification('broken', contract, ...both))).toEqual({
      outcome: 'broken',
      lines: [
        'The service breaks the contract of my-app.',
        '  holds   request 1',
        '1 of 3 interactions are pending and do not hold yet:',
        ...ofSecond,
        '1 of 3 interactions do not hold:',
        '  breaks  request 3 (no bookings exist)',
        '            status: expected 202 but was 200',
      ],
    });
  });
});
