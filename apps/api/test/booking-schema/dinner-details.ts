/** The members of a booking other than those of the service: `CreateBookingDto<BookingDetails>`. */

/**
 * What one restaurant asks of a booking, beside an optional slot
 */
export interface BookingDetails {
  guest: Guest;
  seats: number;
  occasion?: 'birthday' | 'business' | 'none';
  note?: string;
}
export interface Guest {
  name: string;
  email?: string;
}
