/** A page is left in the tick of its record, by navigation or by closing its tab: the answer is counted at once or at the next visit, once. */

import type { Engine } from '../../engines/engine.ts';
import type { Outcome } from '../outcome.ts';
import { ask, inBrowser } from './place.ts';
import { expectOnce } from './tabs.ts';

const leaving = (engine: Engine, rounds: number, how: 'navigation' | 'closing', fault: string): Promise<Outcome> =>
  inBrowser(engine, fault, rounds, async (place, round) => {
    const app = `${how}${round}`;
    const page = await place.open(app);
    await ask(page, 'commands.grant()');
    if (how === 'navigation') await ask(page, 'void commands.answerAndLeave("plan", "/away")');
    else {
      await ask(page, 'void commands.answer("plan")');
      await page.close();
    }
    const next = await place.open(app, 'later');
    const claimed = (await ask<number>(next, 'commands.spent("plan")')) > 0;
    await ask(next, 'telemetry.flush()');
    // WebKitGTK ends the process of some tabs before their page hears of it, and before localStorage is told.
    if (place.engine !== 'webkit' || how === 'navigation') place.expect('claimed at the next visit', claimed, true);
    // Of the record there is one fate, however often it is told: claimed by its page, or from what that page left behind.
    if (claimed)
      place.expect(
        'fates',
        [...new Set(place.said(app))].filter((result) => result !== 'delivered'),
        ['recorded'],
      );
    await expectOnce(place, app, next);
    if (how === 'navigation') await page.close();
    return claimed ? 'counted' : 'lost';
  });

export const leftByNavigation = (engine: Engine, rounds: number): Promise<Outcome> =>
  leaving(engine, rounds, 'navigation', 'left at once by navigation');

export const leftByClosing = (engine: Engine, rounds: number): Promise<Outcome> =>
  leaving(engine, rounds, 'closing', 'left at once by closing');
