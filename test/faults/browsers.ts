/** The client's fault tests in real browsers, short and long: a long run has each in every engine. */

import { engines, few } from '../engines/engines.ts';
import { backToFirst, frozen, restored } from './browsers/caches.ts';
import { beforeConsent, framed, loggedOut, refusedAndLeft } from './browsers/consent.ts';
import { killedAfterRefusal, killedAfterUpload, killedAnyhow, killedAtOnce, reloadedOffline } from './browsers/crashes.ts';
import { leftByClosing, leftByNavigation, recordedWhileLeft } from './browsers/leaving.ts';
import { sharedBrowser } from './browsers/shared-browser.ts';
import { handOver, sameMillisecond, secondTab, twoSenders } from './browsers/tabs.ts';
import type { LongFault, ShortFault } from './fault.ts';

/** Rounds of a long run. */
const LONG = 100;

/**
 * Faults of both runs by name, with the rounds of the short one, which are enough for every variation between rounds to occur, and its engines:
 * each where the fault is how that engine ends, leaves or freezes a page.
 */
const faults = [
  ['nothing kept before consent', beforeConsent, 1, few],
  ['databases deleted at logout', loggedOut, 1, few],
  ['framed by another site', framed, 1, few],
  ['refused and left while the ledger is busy', refusedAndLeft, 4, few],
  ['reloaded while offline', reloadedOffline, 1, few],
  ['the same slot in the same millisecond', sameMillisecond, 2, few],
  ['a tab hands over to another', handOver, 4, few],
  ['a second tab records and closes', secondTab, 1, few],
  ['two tabs sending', twoSenders, 3, few],
  ['left at once by navigation', leftByNavigation, 1, engines],
  ['left at once by closing', leftByClosing, 1, engines],
  ['recorded while left', recordedWhileLeft, 3, few],
  ['back to a page from the cache', backToFirst, 1, engines],
  ['restored from the cache', restored, 1, engines],
  ['frozen with a transaction under way', frozen, 1, engines],
] as const;

/** A long run kills the browser for each of these separately, a short run once for all three. */
const crashes = [
  ['killed after an upload', killedAfterUpload],
  ['killed at once after a record', killedAtOnce],
  ['killed after a refusal', killedAfterRefusal],
] as const;

/** Rows that need a processor at a given moment, or judge how often something happens. All others may run beside each other. */
const alone: readonly unknown[] = [sameMillisecond, twoSenders];
/** Minutes that a long row takes, mostly waiting. */
const MINUTES = 3;

const browsers = engines.map((engine) => ({ engine, shared: sharedBrowser(engine) }));

/** Row by row, each in its engines, so that the engines of a short run work side by side. */
export const shortBrowserFaults: readonly ShortFault[] = ([['killed', killedAnyhow, 3, engines], ...faults] as const).flatMap(
  ([name, run, rounds, its]) =>
    browsers
      .filter(({ engine }) => its.includes(engine))
      .map(({ engine, shared }) => ({ name: `${name} (${engine.name})`, short: () => shared.inTurn((one) => run(one, rounds)) })),
);

export const longBrowserFaults: readonly LongFault[] = [...crashes, ...faults].flatMap(([name, run]) =>
  engines.map((engine) => ({
    name: `${name} (${engine.name})`,
    ...(!alone.includes(run) && { beside: MINUTES }),
    long: () => run(engine, LONG),
  })),
);

/** Closes the browsers of the short runs. */
export const closeBrowsers = async (): Promise<void> => void (await Promise.all(browsers.map(({ shared }) => shared.close())));
