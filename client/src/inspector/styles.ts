/** The inspector's style. It uses the page's font; colours and sizes are CSS variables that a page can set on the panel's host element. */

/** A constructed style sheet: a strict content-security policy allows it, where a style element would need a nonce. */
export function createStyles(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host {
      color-scheme: light;
      --ink: var(--murmuration-ink, #1d2229);
      --quiet: var(--murmuration-quiet, #555e6b);
      --paper: var(--murmuration-paper, #fff);
      --line: var(--murmuration-line, #d5dae1);
      --accent: var(--murmuration-accent, #1f5fae);
      --danger: var(--murmuration-danger, #a3271f);
      display: block;
      color: var(--ink);
      background: var(--paper);
      border: 1px solid var(--line);
      border-radius: var(--murmuration-radius, 12px);
      padding: var(--murmuration-padding, clamp(16px, 4vw, 24px));
      max-width: var(--murmuration-width, 42rem);
      box-sizing: border-box;
      font-size: var(--murmuration-size, 1rem);
      line-height: 1.5;
      text-align: start;
      overflow-wrap: anywhere;
    }
    :host([data-scheme="dark"]) {
      color-scheme: dark;
      --ink: var(--murmuration-ink, #e8eaed);
      --quiet: var(--murmuration-quiet, #a9b1bc);
      --paper: var(--murmuration-paper, #191c21);
      --line: var(--murmuration-line, #3a414b);
      --accent: var(--murmuration-accent, #8ab8f2);
      --danger: var(--murmuration-danger, #ff9d94);
    }
    * { box-sizing: border-box; }
    header { display: flex; gap: 12px; justify-content: space-between; align-items: start; }
    h2, h3, p, ul, pre { margin: 0; }
    h2 { font-size: 1.3em; line-height: 1.3; padding-top: 6px; text-wrap: balance; }
    h2:focus { outline: none; }
    header { margin-bottom: 10px; }
    h3 { font-size: 1.05em; margin-top: 28px; }
    p + p { margin-top: 4px; }
    .quiet { color: var(--quiet); font-size: 0.92em; }
    button {
      font: inherit; color: var(--accent); background: none; border: 1px solid currentColor; border-radius: 8px;
      padding: 6px 14px; min-height: 44px; min-width: 44px; cursor: pointer; flex: none;
    }
    button.plain { border-color: transparent; margin: -2px -10px 0 0; }
    button.danger { color: var(--danger); }
    :is(button, summary, pre):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .choice { border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; margin-top: 16px; }
    .choice > div { display: flex; gap: 12px; justify-content: space-between; align-items: center; }
    label { font-weight: 600; cursor: pointer; flex: 1; }
    [role="switch"] { border: 0; padding: 8px 0; min-width: 52px; display: grid; place-items: center; }
    [role="switch"]:disabled { opacity: 0.5; cursor: default; }
    .track {
      display: block; width: 48px; height: 28px; border-radius: 14px; border: 2px solid var(--quiet); padding: 3px;
      transition: background-color 0.15s, border-color 0.15s;
    }
    .thumb { display: block; width: 18px; height: 18px; border-radius: 9px; background: var(--quiet); transition: translate 0.15s; }
    [aria-checked="true"] .track { background: var(--accent); border-color: var(--accent); }
    [aria-checked="true"] .thumb { background: var(--paper); translate: 20px 0; }
    [aria-checked="true"]:dir(rtl) .thumb { translate: -20px 0; }
    @media (prefers-reduced-motion: reduce) { .track, .thumb { transition: none; } }
    @media (forced-colors: active) {
      .thumb { background: ButtonText; }
      [aria-checked="true"] .track { background: Highlight; forced-color-adjust: none; }
      [aria-checked="true"] .thumb { background: HighlightText; }
    }
    progress { width: 100%; height: 10px; margin: 6px 0; accent-color: var(--accent); }
    ul { list-style: none; padding: 0; }
    li { border-top: 1px solid var(--line); padding: 10px 0; }
    li:first-child { border-top: 0; }
    li > p:first-child { font-weight: 600; }
    .day { margin-top: 8px; }
    details { margin-top: 8px; }
    details.all { border-top: 1px solid var(--line); margin-top: 28px; padding-top: 8px; }
    summary { cursor: pointer; padding: 10px 0; min-height: 44px; }
    .all > summary { font-weight: 600; font-size: 1.05em; }
    pre {
      white-space: pre-wrap; font: 0.85em/1.5 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 8px;
      padding: 10px; max-height: 16em; overflow: auto;
    }
    .erase { margin-top: 16px; }
    .row { display: flex; flex-wrap: wrap; gap: 10px; margin-top: 12px; }
    [hidden] { display: none; }
  `);
  return sheet;
}
