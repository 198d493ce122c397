/**
 * @module The development panel: what becomes of each record, with the true answer beside the report that was made of it; slots, ε and waiting
 * bytes. `@murmuration/client/plugin` puts it into pages of Vite's development server. A production build contains none of it.
 *
 * A true answer is in the memory and on the screen of this page, while the panel is open. It is never stored, sent or printed.
 */

import { attempt } from '../maybe.ts';
import { openPanel } from './panel.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Settings of the panel. */
export interface PanelOptions {
  /** The address of the plugin's page, where imagined users answer. */
  readonly page?: string;
}

/** The key by which a tab remembers that the panel is open, and nothing else. */
const OPEN = 'murmuration-panel';

let isInstalled = false;

/**
 * Opens and closes the panel of this page with Ctrl+Alt+M. It stays open when the page is loaded again. Does nothing in a production build, and
 * on a server.
 */
export function installPanel(options: PanelOptions = {}): void {
  if (process.env.NODE_ENV !== 'production') install(options);
}

function install({ page }: PanelOptions): void {
  if (isInstalled || typeof document === 'undefined') return;
  isInstalled = true;
  let close: (() => void) | undefined;
  const open = (takesFocus: boolean): void => {
    close = openPanel(page, takesFocus, () => {
      close = undefined;
      attempt(() => sessionStorage.removeItem(OPEN));
    });
    attempt(() => sessionStorage.setItem(OPEN, 'true'));
  };
  addEventListener('keydown', (event) => {
    // AltGr, which types letters, is Ctrl and Alt on Windows.
    if (event.code !== 'KeyM' || !event.ctrlKey || !event.altKey || event.getModifierState('AltGraph')) return;
    event.preventDefault();
    if (close) close();
    else open(true);
  });
  if (attempt(() => sessionStorage.getItem(OPEN))) open(false);
  console.info('murmuration: Ctrl+Alt+M opens the development panel.');
}
