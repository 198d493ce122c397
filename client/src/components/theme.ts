/** The look that all components share. It uses the page's font; colours and sizes are CSS variables that a page can set on the elements. */

import { schemeAround } from './scheme.ts';

export const THEME: string = `
    :host { display: block; box-sizing: border-box; max-width: var(--murmuration-width, 42rem); }
    :host([hidden]), [hidden] { display: none; }
    section {
      color-scheme: light;
      --ink: var(--murmuration-ink, #1d2229);
      --quiet: var(--murmuration-quiet, #555e6b);
      --paper: var(--murmuration-paper, #fff);
      --line: var(--murmuration-line, #d5dae1);
      --accent: var(--murmuration-accent, #1f5fae);
      --danger: var(--murmuration-danger, #a3271f);
      color: var(--ink);
      background: var(--paper);
      border: 1px solid var(--line);
      border-radius: var(--murmuration-radius, 12px);
      padding: var(--murmuration-padding, clamp(16px, 4vw, 24px));
      font-size: var(--murmuration-size, 1rem);
      line-height: 1.5;
      text-align: start;
      overflow-wrap: anywhere;
    }
    section[data-scheme="dark"] {
      color-scheme: dark;
      --ink: var(--murmuration-ink, #e8eaed);
      --quiet: var(--murmuration-quiet, #a9b1bc);
      --paper: var(--murmuration-paper, #191c21);
      --line: var(--murmuration-line, #3a414b);
      --accent: var(--murmuration-accent, #8ab8f2);
      --danger: var(--murmuration-danger, #ff9d94);
    }
    * { box-sizing: border-box; }
    h2, h3, p, ul, pre { margin: 0; }
    p + p { margin-top: 4px; }
    .quiet { color: var(--quiet); font-size: 0.92em; }
    button {
      font: inherit; color: var(--accent); background: none; border: 1px solid currentColor; border-radius: 8px;
      padding: 6px 14px; min-height: 44px; min-width: 44px; cursor: pointer; flex: none;
    }
    button.plain { border-color: transparent; }
    :is(button, summary, pre, input, select):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .row { display: flex; flex-wrap: wrap; gap: 10px; margin-top: 12px; }
`;

/** Makes a panel as light or dark as the page around its element. */
export function colour(panel: HTMLElement, root: ShadowRoot): void {
  panel.setAttribute('data-scheme', schemeAround(root.host));
}
