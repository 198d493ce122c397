/** The inspector's looks. It takes the page's font; colours and measures are CSS variables that a page can set on its host. */

/** A constructed style sheet: a strict content-security policy allows it, where a style element would need a nonce. */
export function createStyles(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host {
      --ink: var(--murmuration-ink, light-dark(#1d2229, #e8eaed));
      --quiet: var(--murmuration-quiet, light-dark(#555e6b, #a9b1bc));
      --paper: var(--murmuration-paper, light-dark(#fff, #191c21));
      --line: var(--murmuration-line, light-dark(#d5dae1, #3a414b));
      --accent: var(--murmuration-accent, light-dark(#1f5fae, #8ab8f2));
      display: block;
      color: var(--ink);
      background: var(--paper);
      border: 1px solid var(--line);
      border-radius: var(--murmuration-radius, 12px);
      padding: var(--murmuration-padding, 20px);
      max-width: var(--murmuration-width, 44rem);
      box-sizing: border-box;
      font-size: var(--murmuration-size, 1rem);
      line-height: 1.5;
      overflow-wrap: anywhere;
    }
    * { box-sizing: border-box; }
    header { display: flex; gap: 12px; justify-content: space-between; align-items: start; }
    h2, h3, p, dl, dd, ul, pre { margin: 0; }
    h2 { font-size: 1.25em; line-height: 1.3; }
    h2:focus { outline: none; }
    header { margin-bottom: 8px; }
    h3 { font-size: 1em; margin-top: 20px; }
    .quiet { color: var(--quiet); font-size: 0.9em; }
    button {
      font: inherit; color: var(--accent); background: none; border: 1px solid currentColor; border-radius: 8px;
      padding: 6px 14px; min-height: 44px; min-width: 44px; cursor: pointer; flex: none;
    }
    button[aria-checked="true"] { color: var(--paper); background: var(--accent); border-color: var(--accent); }
    :is(button, summary):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .choice { display: flex; gap: 12px; justify-content: space-between; align-items: center; margin-top: 12px; }
    progress { width: 100%; height: 10px; margin: 6px 0; accent-color: var(--accent); }
    ul { list-style: none; padding: 0; }
    li { border-top: 1px solid var(--line); padding: 10px 0; }
    li:first-child { border-top: 0; }
    li p:first-child { font-weight: 600; }
    summary { cursor: pointer; padding: 8px 0; }
    pre {
      white-space: pre-wrap; font: 0.85em/1.5 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 8px;
      padding: 10px; max-height: 16em; overflow: auto;
    }
  `);
  return sheet;
}
