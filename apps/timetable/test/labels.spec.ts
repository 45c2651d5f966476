import type { BookingDto } from '@booking-service/client';
import { detailsOf, labelsOf, wordsOf } from '../src/labels.js';

const booked = (members: object): BookingDto => ({
  booking_id: 'a',
  created_at: '2026-12-01T00:00:00.000Z',
  ...members,
});

describe('The labels of a booking', () => {
  it.each([
    [{ note: 'window', guest: { name: 'Ada' } }, ['Ada']],
    [{ title: 'Physio', guest: { name: 'Margaret Smith' } }, ['Margaret Smith', 'Physio']],
    [{ title: 'Dr', name: 'Ada', guest: { title: 'Ms', name: ' Ada' } }, ['Ada', 'Dr']],
    [{ guest: { first_name: 'Margaret', last_name: 'Smith' } }, ['Margaret Smith']],
    [{ firstName: 'Margaret', lastName: 'Smith', room: 'view' }, ['Margaret Smith']],
    [{ title: 'Team meeting', attendees: [{ id: 7 }, { name: 'Zoë' }, 'Bo'] }, ['Zoë', 'Team meeting']],
    [{ guest: { address: { lines: ['', ' ', 'Elm Street'] } }, count: 3 }, ['Elm Street']],
    [{ count: 3, isPaid: true, title: '\u200B' }, ['Booked']],
  ])('of %j are %j: who first, then what', (members, labels) => {
    expect(labelsOf(booked(members))).toEqual(labels);
  });

  it('are found at any depth', () => {
    expect(labelsOf(booked({ guest: { guest: { name: 'Ada' } }, list: Array(900).fill(0) }))).toEqual(['Ada']);
    const deep = JSON.parse('['.repeat(30) + '"Ada"' + ']'.repeat(30));
    expect(labelsOf(booked({ list: [deep] }))).toEqual(['Ada']);
    expect(labelsOf(booked({ attendees: deep }))).toEqual(['Ada']);
  });
});

it('a search looks at all texts of a booking, without case and accents', () => {
  const words = wordsOf(booked({ title: 'Physio', guest: { name: 'Zoë SMITH', phone: '030 1' } }));
  for (const word of ['physio', 'zoe', 'smith', '030']) expect(words).toContain(word);
});

it('details count the items of a list from 1', () => {
  expect(detailsOf(booked({ attendees: ['Ada', { name: 'Bo' }] }))).toEqual([
    ['attendees · 1', 'Ada'],
    ['attendees · 2 · name', 'Bo'],
  ]);
});
