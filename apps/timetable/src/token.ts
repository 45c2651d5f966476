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
      explain('malformed');
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

  /** Says why a token is asked for: the page has the words. */
  const explain = (reason: string) => (why.textContent = why.dataset[reason]!);
  const token = () => sessionStorage.getItem(KEY) ?? undefined;

  /** The service took the token. */
  function accepted(): void {
    wasGood = true;
    byId('forget').hidden = token() === undefined;
  }

  /** @param isKnown whether the service knew the token, which then may not do what was asked */
  function ask(isKnown: boolean): void {
    if (dialog.open) return;
    if (token() === undefined) explain('missing');
    else if (isKnown) explain('forbidden');
    else explain(wasGood ? 'ended' : 'unknown');
    dialog.showModal();
  }

  return { token, accepted, ask };
}
