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
  let token = kept();
  let wasGood = false;

  byId('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim().replace(/^Bearer\s+/i, '');
    // RFC 6750 §2.1
    if (!/^[A-Za-z0-9._~+/-]+=*$/.test(text)) {
      explain('malformed');
      return;
    }
    keep(text);
    token = text;
    wasGood = false;
    input.value = '';
    dialog.close();
    given();
  });
  byId('forget').addEventListener('click', () => {
    keep(undefined);
    location.reload();
  });

  /** Shows why a token is required; the texts are in the page. */
  const explain = (reason: string) => (why.textContent = why.dataset[reason]!);
  const open = () => dialog.open || dialog.showModal();

  /** The service accepted the token. */
  function accepted(): void {
    wasGood = true;
    byId('forget').hidden = token === undefined;
  }

  /** @param isKnown whether the token is valid but lacks a scope */
  function ask(isKnown: boolean): void {
    if (dialog.open) return;
    if (token === undefined) explain('missing');
    else if (isKnown) explain('forbidden');
    else explain(wasGood ? 'ended' : 'unknown');
    open();
  }

  return { token: () => token, accepted, ask, open };
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
