/** The client's fault tests in real browsers, short and long: each in every engine. */

import { engines } from '../engines/engines.ts';
import { backToFirst, frozen, restored } from './browsers/caches.ts';
import { beforeConsent } from './browsers/consent.ts';
import { killedAfterRefusal, killedAfterUpload, killedAtOnce, reloadedOffline } from './browsers/crashes.ts';
import { leftByClosing, leftByNavigation } from './browsers/leaving.ts';
import { sharedBrowser } from './browsers/shared-browser.ts';
import { handOver, sameMillisecond, secondTab, twoSenders } from './browsers/tabs.ts';
import type { Fault } from './fault.ts';

/** Rounds of a long run. */
const LONG = 100;

/** Each fault by name, with the rounds of its short run. They are enough for every variation between rounds to occur. */
const faults = [
  ['nothing kept before consent', beforeConsent, 1],
  ['killed after an upload', killedAfterUpload, 2],
  ['killed at once after a record', killedAtOnce, 3],
  ['killed after a refusal', killedAfterRefusal, 2],
  ['reloaded while offline', reloadedOffline, 1],
  ['the same slot in the same millisecond', sameMillisecond, 3],
  ['a tab hands over to another', handOver, 4],
  ['a second tab records and closes', secondTab, 2],
  ['two tabs sending', twoSenders, 3],
  ['left at once by navigation', leftByNavigation, 3],
  ['left at once by closing', leftByClosing, 3],
  ['back to a page from the cache', backToFirst, 2],
  ['restored from the cache', restored, 1],
  ['frozen with a transaction under way', frozen, 3],
] as const;

const browsers = engines.map((engine) => ({ engine, shared: sharedBrowser(engine) }));

/** Row by row, each in every engine, so that the engines of a short run work side by side. */
export const browserFaults: readonly Fault[] = faults.flatMap(([name, run, rounds]) =>
  browsers.map(({ engine, shared }) => ({
    name: `${name} (${engine.name})`,
    short: () => shared.inTurn((one) => run(one, rounds)),
    long: () => run(engine, LONG),
  })),
);

/** Closes the browsers of the short runs. */
export const closeBrowsers = async (): Promise<void> => void (await Promise.all(browsers.map(({ shared }) => shared.close())));
