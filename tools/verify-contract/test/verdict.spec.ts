import { readContract } from '../src/contract.js';
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
const kept: Verification = { outcome: 'kept', printed: '', stateFaults: new Map() };
const contractOf = (length: number) => ({
  consumer: 'my-app',
  provider: 'bookings-service' as const,
  interactions: Array.from({ length }, (_, index) => ({ description: `request ${index + 1}`, states: [] })),
});

describe('A contract', () => {
  it('is read from a pact file, of versions 2 and 4', () => {
    const interactions = [
      { description: 'a booking', providerStates: [{ name: 'no bookings exist' }] },
      { description: 'a list', providerState: 'these bookings exist' },
      { description: 'a get' },
    ];
    expect(readContract(file(JSON.stringify({ ...names, interactions })))).toEqual({
      consumer: 'my-app',
      provider: 'bookings-service',
      interactions: [
        { description: 'a booking', states: ['no bookings exist'] },
        { description: 'a list', states: ['these bookings exist'] },
        { description: 'a get', states: [] },
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
    expect(verdictOn(contractOf(2), kept)).toEqual([
      'The service keeps the contract of my-app.',
      '  holds   request 1',
      '  holds   request 2',
      '2 interactions',
    ]);
    const long = verdictOn(contractOf(100), kept);
    expect(long).toHaveLength(10);
    expect(long.slice(-2)).toEqual(['  holds   93 more', '100 interactions']);
  });

  it('is what the verifier printed where it found nothing to compare', () => {
    const printed = 'no such host\n';
    for (const outcome of ['broken', 'not verified'] as const) {
      expect(verdictOn(contractOf(1), { ...kept, outcome, printed })).toEqual([
        'The contract of my-app was not verified:',
        'no such host',
      ]);
    }
  });

  it('distinguishes interactions with one description by their states', () => {
    const interactions = ['no bookings exist', 'these bookings exist'].map((state) => ({
      description: 'a list',
      states: [state],
    }));
    const printed = [
      'Failures:',
      '',
      '1) Verifying a pact between my-app and bookings-service Given these bookings exist - a list',
      '    1.1) has status code 202',
      '           expected 202 but was 200',
    ].join('\n');
    const verification: Verification = { ...kept, outcome: 'broken', printed: `\n${printed}` };
    expect(verdictOn({ ...contractOf(0), interactions }, verification).slice(1)).toEqual([
      '  holds   a list',
      '1 of 2 interactions do not hold:',
      '  breaks  a list (these bookings exist)',
      '            status: expected 202 but was 200',
    ]);
  });
});
