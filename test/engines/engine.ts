/** What the tests ask of a browser, whichever engine it has: pages of one lasting profile, and an end like a crash's. */

import { setTimeout as sleep } from 'node:timers/promises';

export interface Engine {
  readonly name: 'chromium' | 'firefox' | 'webkit';
  /** Starts a browser without a screen. All that it keeps is in the profile, a folder, and outlives `kill`. */
  readonly launch: (profile: string) => Promise<Browser>;
}

export interface Browser {
  /** Opens a tab: as many at a time as a test likes, all in one profile. */
  open(url: string): Promise<Page>;
  /** Ends every process of the browser at once by SIGKILL, as a crash does. Resolves when all are gone. */
  kill(): Promise<void>;
  /** Ends the browser as a person does who quits it. */
  close(): Promise<void>;
}

export interface Page {
  /** The value, which JSON can hold, of an expression in the page, whatever its policy says. A promise is awaited; one that rejects rejects. */
  evaluate<T>(expression: string): Promise<T>;
  /** Resolves when the document has loaded; so do `back` and `reload`. */
  goto(url: string): Promise<void>;
  /** Makes the page so many pixels large. */
  resize(width: number, height: number): Promise<void>;
  back(): Promise<void>;
  reload(): Promise<void>;
  /**
   * Closes the tab as a click does, which fires `pagehide`, and waits for nothing that the page does then. WebKitGTK ends the
   * process of about one tab in ten before its page hears of it: a client must bear that.
   */
  close(): Promise<void>;
}

/** An expression whose value is the JSON of another's, awaited. It runs in the tick that it is evaluated in. */
export const jsonOf = (expression: string): string => `(async () => JSON.stringify((await (${expression}\n)) ?? null))()`;

/** Milliseconds after which a document that has not come is not slow, but wrong. */
const PATIENCE = 120_000;

/** Does what brings another document, and resolves when it is there and complete: one from the cache of pages fires no `load`. */
export async function navigated({ evaluate }: Pick<Page, 'evaluate'>, go: () => Promise<unknown>): Promise<void> {
  const left = await evaluate<number>('performance.timeOrigin');
  await go();
  let seen: unknown;
  for (const end = performance.now() + PATIENCE; performance.now() < end; await sleep(10)) {
    // While documents change there may be none to ask.
    seen = await evaluate('[performance.timeOrigin, document.readyState]').catch((error: unknown) => error);
    if (seen instanceof BrowserEnded) throw seen;
    if (Array.isArray(seen) && seen[0] !== left && seen[1] === 'complete') return;
  }
  throw new Error(`expected another document than that of ${left}, saw ${seen}`);
}

/** What every command of a browser that has ended rejects with. */
export class BrowserEnded extends Error {}
