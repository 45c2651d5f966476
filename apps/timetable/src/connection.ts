/** The client of the service, and the token that it sends. */

import { BookingOperations, ForbiddenError } from '@booking-service/client';
import { byId, recall, remember, write } from './dom.js';

const TOKEN_KEY = 'bookings-token';

const dialog = byId('token-dialog') as HTMLDialogElement;
const input = byId('token') as HTMLInputElement;
/** Empty if there is no token. */
let token = recall(TOKEN_KEY);

export const client = new BookingOperations({
  // The service that sent the page. If the query could name another, a link could steal the token.
  baseUrl: new URL('.', document.baseURI).href,
  // The feed waits, and users try again.
  maxRetries: 0,
  headers: (): Record<string, string> => (token === '' ? {} : { authorization: `Bearer ${token}` }),
});

export function hasToken(): boolean {
  return token !== '';
}

/** Asks the user for a token, and says why. @param error the 401 or 403 of the service */
export function askForToken(error: unknown): void {
  if (dialog.open) return;
  write('token-why', reasonFor(error));
  dialog.showModal();
}

/** Closes the dialog, unless something has been typed: the service has responded without another token. */
export function stopAsking(): void {
  if (input.value === '') dialog.close();
}

/** @param listener called when the user has entered a token */
export function onToken(listener: () => void): void {
  byId('token-form').addEventListener('submit', () => {
    token = input.value.trim().replace(/^Bearer\s+/i, '');
    remember(TOKEN_KEY, token);
    input.value = '';
    listener();
  });
}

function reasonFor(error: unknown): string {
  if (!hasToken()) return 'This service requires a token.';
  if (error instanceof ForbiddenError) return 'The token lacks the scope to read bookings (bookings:read).';
  return 'The service does not accept this token: it is unknown, revoked or expired.';
}

byId('give-token').addEventListener('click', () => dialog.showModal());
