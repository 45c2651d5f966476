import { byId } from './dom.js';

/** Of `sessionStorage`, which is this tab's alone and goes with it. */
const KEY = 'bookings-token';

/**
 * The token of this tab, and the dialog that asks for one.
 *
 * @param given called with a new token in place
 */
export function tokenDialog(given: () => void) {
  const dialog = byId('token-dialog') as HTMLDialogElement;
  const why = byId('token-why');
  const input = byId('token') as HTMLInputElement;
  let wasGood = false;

  byId('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim();
    // RFC 6750 §2.1
    if (!/^[A-Za-z0-9._~+/-]+=*$/.test(text)) {
      why.textContent = 'This is no token: one has letters, digits and -._~+/ alone, then perhaps =.';
      return;
    }
    sessionStorage.setItem(KEY, text);
    wasGood = false;
    input.value = '';
    dialog.close();
    given();
  });
  // Without a token nothing can be shown.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  byId('forget').addEventListener('click', () => {
    sessionStorage.removeItem(KEY);
    location.reload();
  });

  const token = () => sessionStorage.getItem(KEY) ?? undefined;

  /** The service took the token. */
  function accepted(): void {
    wasGood = true;
    byId('forget').hidden = token() === undefined;
  }

  /** @param isKnown whether the service knew the token, which then may not do what was asked */
  function ask(isKnown: boolean): void {
    if (dialog.open) return;
    let text = 'The service did not accept this token.';
    if (token() === undefined) text = 'This service asks for a token.';
    else if (isKnown) text = 'The token is good, but may not read bookings (bookings:read).';
    else if (wasGood) text = 'Your token is not good any more: it was revoked, or has expired.';
    why.textContent = text;
    dialog.showModal();
  }

  return { token, accepted, ask };
}
