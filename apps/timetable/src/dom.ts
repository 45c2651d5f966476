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
