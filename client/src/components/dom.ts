/** Creates the components' elements one by one, because a strict content-security policy allows no markup with styles. */

export type Child = string | Node;

/** An element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: { readonly [name: string]: string },
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A paragraph; a quiet one explains the one before it. */
export const paragraph = (text: string, isQuiet = true): HTMLElement => element('p', isQuiet ? { class: 'quiet' } : {}, text);

/** A button. */
export const button = (text: string, attributes: { readonly [name: string]: string } = {}): HTMLButtonElement =>
  element('button', { type: 'button', ...attributes }, text);

/** Sentences as one text. */
export const sentences = (...texts: readonly (string | false | undefined)[]): string => texts.filter(Boolean).join(' ');
