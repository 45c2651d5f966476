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

/** Writes a text, unless it is there: a screen reader could repeat it. */
export function write(id: string, text: string): void {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

/** Shows a text for six seconds, and announces it to screen readers. */
export function showToast(text: string): void {
  const line = make('span', {}, text);
  byId('toast').replaceChildren(line);
  setTimeout(() => line.remove(), 6_000);
}

/** Reads, or sets, a value that this tab keeps until it is closed; empty where storage is disabled. */
export function kept(name: string, value?: string): string {
  try {
    if (value !== undefined) sessionStorage.setItem(name, value);
    return sessionStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
}
