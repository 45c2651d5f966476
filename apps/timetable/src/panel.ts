import { byId, make } from './dom.js';

/**
 * The side panel: the details of a booking, or the form for a new one.
 *
 * @param closed called when the panel was closed, to restore the focus
 */
export function sidePanel(closed: () => void) {
  const panel = byId('panel');
  const title = byId('panel-title');
  const details = byId('details');
  const form = byId('form');

  for (const id of ['close', 'cancel']) byId(id).addEventListener('click', close);
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });

  function close(): void {
    if (panel.hidden) return;
    panel.hidden = true;
    closed();
  }

  function show(text: string, content: HTMLElement): void {
    title.replaceChildren(make('bdi', {}, text));
    for (const part of [details, form]) part.hidden = part !== content;
    panel.hidden = false;
    panel.scrollTop = 0;
  }

  /** Shows a list, or anything else. */
  function showContent(text: string, content: HTMLElement): void {
    details.replaceChildren(content);
    show(text, details);
    title.focus({ preventScroll: true });
  }

  return { close, showContent, showForm: () => show('New booking', form) };
}
