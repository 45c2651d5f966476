import { byId } from './dom.js';

/** The key in `sessionStorage`, which belongs to this tab and ends with it. */
const KEY = 'bookings-token';

/**
 * The token of this tab, and the dialog that requests one.
 *
 * @param given called when there is a new token
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
  // Nothing can be shown without a token.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  byId('forget').addEventListener('click', () => {
    sessionStorage.removeItem(KEY);
    location.reload();
  });

  /** Shows why a token is required; the texts are in the page. */
  const explain = (reason: string) => (why.textContent = why.dataset[reason]!);
  const token = () => sessionStorage.getItem(KEY) ?? undefined;

  /** The service accepted the token. */
  function accepted(): void {
    wasGood = true;
    byId('forget').hidden = token() === undefined;
  }

  /** @param isKnown whether the token is valid but lacks a scope */
  function ask(isKnown: boolean): void {
    if (dialog.open) return;
    if (token() === undefined) explain('missing');
    else if (isKnown) explain('forbidden');
    else explain(wasGood ? 'ended' : 'unknown');
    dialog.showModal();
  }

  return { token, accepted, ask };
}
