/** Detects a dark page around a component, by what it shows. Many dark pages do not declare a colour scheme. */

/** Red, green and blue from 0 to 255, and opacity; undefined if the colour is in another notation. */
function parts(color: string): readonly number[] | undefined {
  const numbers = /^rgba?\(([^)]+)\)$/
    .exec(color)?.[1]
    ?.split(/[\s,/]+/)
    .map(Number);
  return numbers?.every(Number.isFinite) ? numbers : undefined;
}

/** The element around another one, also around the shadow root that it is in. */
const parentOf = (element: Element): Element | null =>
  element.parentElement ?? (element.parentNode as Partial<ShadowRoot> | null)?.host ?? null;

/** `dark` or `light`, judged by the first background behind the element, or else by the scheme that the page asks for. */
export function schemeAround(element: Element): 'dark' | 'light' {
  for (let behind: Element | null = element; behind; behind = parentOf(behind)) {
    const color = parts(getComputedStyle(behind).backgroundColor);
    const [red = 0, green = 0, blue = 0, opacity = 1] = color ?? [0, 0, 0, 0];
    if (opacity >= 0.5) return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 110 ? 'dark' : 'light';
  }
  const { colorScheme } = getComputedStyle(element);
  if (!/\bdark\b/.test(colorScheme)) return 'light';
  return !/\blight\b/.test(colorScheme) || matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
