/** Elements near the visible part of a scrolling container: only these need contents. In print, all do. */

const print = matchMedia('print');

/** @param changed called when other elements are near */
export function nearbyIn(container: HTMLElement, changed: () => void) {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) target.toggleAttribute('data-near', isIntersecting);
      changed();
    },
    { root: container, rootMargin: '200px' },
  );
  print.addEventListener('change', changed);
  return {
    observe: (element: HTMLElement) => observer.observe(element),
    has: (element: HTMLElement) => !container.hidden && (print.matches || element.matches('[data-near]')),
  };
}
