import type { BookingDto } from '@booking-service/client';
import { labelOf, whoOf, wordsOf } from '../src/labels.js';

const booked = (members: object): BookingDto => ({
  booking_id: 'a',
  created_at: '2026-12-01T00:00:00.000Z',
  ...members,
});

describe('The label of a booking', () => {
  it.each([
    [{ note: 'window', guest: { name: 'Ada' } }, 'Ada', 'Ada'],
    [{ title: 'Physio', guest: { name: 'Margaret Smith' } }, 'Physio', 'Physio · Margaret Smith'],
    [{ guest: { first_name: 'Margaret', last_name: 'Smith' } }, 'Margaret Smith', 'Margaret Smith'],
    [{ firstName: 'Margaret', lastName: 'Smith', room: 'view' }, 'Margaret Smith', 'Margaret Smith'],
    [{ attendees: [{ id: 7 }, 'Zoë', 'Bo'] }, 'Zoë', 'Zoë'],
    [{ guest: { address: { lines: ['', ' ', 'Elm Street'] } }, count: 3 }, 'Elm Street', 'Elm Street'],
    [{ count: 3, isPaid: true, title: '\u200B' }, 'Booked', 'Booked'],
  ])('of %j is %s; the agenda shows %s', (members, label, who) => {
    expect([labelOf(booked(members)), whoOf(booked(members))]).toEqual([label, who]);
  });

  it('is found at any depth', () => {
    expect(labelOf(booked({ guest: { guest: { name: 'Ada' } }, list: Array(900).fill(0) }))).toBe('Ada');
    expect(labelOf(booked({ list: [JSON.parse('['.repeat(30) + '"Ada"' + ']'.repeat(30))] }))).toBe('Ada');
  });
});

it('a search looks at all texts of a booking, without case and accents', () => {
  const words = wordsOf(booked({ title: 'Physio', guest: { name: 'Zoë SMITH', phone: '030 1' } }));
  for (const word of ['physio', 'zoe', 'smith', '030']) expect(words).toContain(word);
});
