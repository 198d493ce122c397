/** The panel's style, on top of the look that it shares with the components. The page's own style stays outside. */

import { THEME } from '../components/theme.ts';

export const CSS: string = `${THEME}
    :host {
      all: initial !important; display: block !important; position: fixed !important; inset: 0 0 0 auto !important;
      width: min(580px, 100vw) !important; z-index: 2147483647 !important; font: 15px/1.5 system-ui, sans-serif !important;
    }
    section { height: 100%; overflow: auto; border-radius: 0; border-width: 0 0 0 1px; padding: 16px 20px; font-size: 1em; }
    section { box-shadow: 0 0 24px rgb(0 0 0 / 0.25); overscroll-behavior: contain; }
    header { display: flex; gap: 12px; justify-content: space-between; align-items: center; }
    h2 { font-size: 1.15em; }
    h2:focus { outline: none; }
    h3 { font-size: 1.05em; margin-top: 16px; }
    header button { margin-right: -14px; }
    article { border-top: 1px solid var(--line); margin-top: 12px; }
    a { color: var(--accent); }
    a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    p, table { margin-top: 8px; }
    progress { width: 100%; height: 8px; accent-color: var(--accent); }
    table { width: 100%; border-collapse: collapse; font-size: 0.92em; }
    caption { text-align: start; font-weight: 600; padding: 10px 0 4px; }
    th, td { text-align: start; vertical-align: top; overflow-wrap: break-word; padding: 4px 10px 4px 0; border-top: 1px solid var(--line); }
    thead th { color: var(--quiet); font-weight: 400; border-top: 0; padding-top: 0; }
    tbody th { font-weight: 600; }
    summary { cursor: pointer; padding: 4px 0; }
    pre {
      white-space: pre-wrap; font: 0.85em/1.5 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 8px;
      padding: 8px; max-height: 12em; overflow: auto;
    }
    button.danger { color: var(--danger); }
`;
