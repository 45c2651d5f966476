/** The element of the page with this id. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

/** A new element. Texts of others become text nodes, never markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Puts an act off until the next frame is drawn, where it is done once, however often it was asked for. */
export function inNextFrame(act: () => void): () => void {
  let frame = 0;
  return () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(act);
  };
}

/** Places an element by the object model, which the content security policy of the page allows; in pixels. */
export function place({ style }: HTMLElement, left: number, width?: number, top?: number): void {
  style.left = `${left}px`;
  if (width !== undefined) style.width = `${width}px`;
  if (top !== undefined) style.top = `${top}px`;
}
