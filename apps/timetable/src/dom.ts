/** Finds, creates and fills elements of the page, keeps values for the tab, and shows messages to the user. */

/** An element of the page. Every id that the code names is in `index.html`, except `now`, which `drawing.ts` adds. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

/** Creates an element. Strings become text nodes, never markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Sets the text of an element unless it has that text already: a screen reader might repeat it. */
export function writeTo(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function write(id: string, text: string): void {
  writeTo(byId(id), text);
}

/** Whether two objects have the same values, compared by identity. */
export function isSame<Compared extends object>(one: Compared, other: Compared): boolean {
  return Object.entries(one).every(([name, value]) => value === other[name as keyof Compared]);
}

/** @param listener called when somebody uses an element, or what is in it */
export function onUse(target: EventTarget, listener: () => void): void {
  const options = { capture: true, passive: true };
  for (const type of ['pointerdown', 'wheel', 'keydown']) target.addEventListener(type, listener, options);
}

/** Shows a text for six seconds, or until the next one, and announces it to screen readers. */
export function showToast(text: string): void {
  const line = make('span', {}, text);
  byId('toast').replaceChildren(line);
  setTimeout(() => line.remove(), 6_000);
}

/** Keeps a value until the tab is closed. If storage is disabled, the value is lost. */
export function remember(name: string, value: string): void {
  try {
    sessionStorage.setItem(name, value);
  } catch {}
}

/** The value kept under a name in this tab; empty if there is none or storage is disabled. */
export function recall(name: string): string {
  try {
    return sessionStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
}
