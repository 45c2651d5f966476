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
  const forget = byId('forget');
  let token = kept();
  forget.hidden = token === undefined;

  byId('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    token = input.value.trim().replace(/^Bearer\s+/i, '');
    keep(token);
    forget.hidden = false;
    input.value = '';
    dialog.close();
    given();
  });
  forget.addEventListener('click', () => {
    keep(undefined);
    location.reload();
  });

  const open = () => dialog.open || dialog.showModal();

  /** @param isKnown whether the token is valid but lacks a scope */
  function ask(isKnown: boolean): void {
    if (dialog.open) return;
    const reason = isKnown ? 'forbidden' : 'unknown';
    // Each reason has its text in the page.
    why.textContent = why.dataset[token === undefined ? 'missing' : reason]!;
    open();
  }

  return { token: () => token, ask, open };
}

function kept(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where storage is disabled, the page has its token until it is left. */
function keep(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // Nothing is kept, so nothing is to be removed.
  }
}
