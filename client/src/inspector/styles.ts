/** The inspector's style, on top of the look that it shares with other components. */

import { THEME } from '../components/theme.ts';

export const CSS: string = `${THEME}
    header { display: flex; gap: 12px; justify-content: space-between; align-items: start; }
    h2 { font-size: 1.3em; line-height: 1.3; padding-top: 6px; text-wrap: balance; }
    h2:focus { outline: none; }
    header { margin-bottom: 10px; }
    h3 { font-size: 1.05em; margin-top: 28px; }
    header button { margin: -2px -10px 0 0; }
    button.danger { color: var(--danger); }
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
    :is(li, li > div) > p:first-child { font-weight: 600; }
    .day { margin-top: 8px; }
    details { margin-top: 8px; }
    fieldset { border: 0; padding: 0; margin: 0 0 8px; }
    form + p { margin-top: 10px; }
    :is(fieldset, form) label { display: block; font-weight: 400; }
    :is(input, select) { font: inherit; color: inherit; accent-color: var(--accent); max-width: 100%; }
    :is(input:not([type="checkbox"]), select) {
      min-height: 44px; padding: 6px 10px; background: var(--paper); border: 1px solid var(--quiet); border-radius: 8px;
    }
    details.all { border-top: 1px solid var(--line); margin-top: 28px; padding-top: 8px; }
    summary { cursor: pointer; padding: 10px 0; min-height: 44px; }
    .all > summary { font-weight: 600; font-size: 1.05em; }
    pre {
      white-space: pre-wrap; font: 0.85em/1.5 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 8px;
      padding: 10px; max-height: 16em; overflow: auto;
    }
    .erase { margin-top: 16px; }
`;
