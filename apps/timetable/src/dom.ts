/** The element of the page with this id. */
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

/** Defers an act to the next frame, in which it runs once, however often it was requested. */
export function inNextFrame(act: () => void): () => void {
  let frame = 0;
  return () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => act());
  };
}

/** Places an element, in pixels, through the CSSOM, which the page's content security policy allows. */
export function place({ style }: HTMLElement, left: number, width?: number, top?: number): void {
  style.left = `${left}px`;
  if (width !== undefined) style.width = `${width}px`;
  if (top !== undefined) style.top = `${top}px`;
}
