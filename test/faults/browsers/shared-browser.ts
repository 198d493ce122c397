/**
 * One browser of each engine for all rows of a short run. Starting a browser takes more of a machine than most rows do. The rows take turns,
 * because a page behind another's is not as awake as a visible one. Each has a server, and so an origin, of its own.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Engine } from '../../engines/engine.ts';

/** A browser that rows take turns in. */
export interface SharedBrowser {
  /** Runs a row when those before it are over. What the row launches is the one browser, which is started again when a row has killed it. */
  readonly inTurn: <T>(row: (engine: Engine) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

export function sharedBrowser({ name, launch }: Engine): SharedBrowser {
  let [browser, profile]: [Browser | undefined, string | undefined] = [undefined, undefined];
  let last: Promise<unknown> = Promise.resolve();
  const engine: Engine = {
    name,
    launch: async () => {
      profile ??= await mkdtemp(join(tmpdir(), 'murmuration-fault-'));
      browser ??= await launch(profile);
      const { open, kill } = browser;
      return {
        open,
        kill: async () => {
          browser = undefined;
          await kill();
        },
        close: async () => undefined,
      };
    },
  };
  return {
    inTurn: (row) => {
      const turn = last.then(() => row(engine));
      last = turn.catch(() => undefined);
      return turn;
    },
    close: async () => {
      await last;
      await browser?.close();
      if (profile !== undefined) await rm(profile, { recursive: true });
    },
  };
}
