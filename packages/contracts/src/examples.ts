export const slotExample = {
  resource_id: 'room-7',
  start: '2026-12-01T09:00:00.000Z',
  end: '2026-12-01T10:00:00.000Z',
};

/** Example payloads of a create, by their name in the OpenAPI document. */
export const payloadExamples = {
  'with-slot': {
    summary: 'A room for an hour',
    value: { slot: slotExample, guest: { name: 'Ada' }, note: 'window seat' },
  },
  'without-slot': {
    summary: 'A booking that holds no slot',
    value: { guest: { name: 'Grace' }, waiting_list: true },
  },
};

/** The booking that the payload `with-slot` creates. */
export const bookingExample = {
  booking_id: '019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55',
  created_at: '2025-11-20T14:54:25.054Z',
  ...payloadExamples['with-slot'].value,
};

/** A page with the bookings of both payloads, newest first. */
export const pageExample = {
  bookings: [
    bookingExample,
    {
      booking_id: '019aa1c2-58c4-7e01-8d6e-2b7d2a4c9e10',
      created_at: '2025-11-20T14:54:19.844Z',
      ...payloadExamples['without-slot'].value,
    },
  ],
  next_cursor: '.019aa1c2-58c4-7e01-8d6e-2b7d2a4c9e10.RNq4uI32n-_zwf6i',
};
