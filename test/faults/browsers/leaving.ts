/**
 * A page is left in the same tick as its record, by navigation or by closing its tab. The answer is counted now or at the next visit, and
 * only once.
 */

import type { Engine } from '../../engines/engine.ts';
import { type Outcome, until } from '../outcome.ts';
import { ask, inBrowser, PATIENCE } from './environment.ts';
import { expectOnce } from './tabs.ts';

/** Milliseconds after which no page is assumed to be left that could report an outcome. */
const TELLING = 10_000;

const leaving = (engine: Engine, rounds: number, how: 'navigation' | 'closing', fault: string): Promise<Outcome> =>
  inBrowser(engine, fault, rounds, async (environment, round) => {
    const app = `${how}${round}`;
    const page = await environment.open(app);
    await ask(page, 'commands.grant()');
    if (how === 'navigation') await ask(page, 'void commands.answerAndLeave("plan", "/away")');
    else {
      await ask(page, 'void commands.answer("plan")');
      await page.close();
    }
    const next = await environment.open(app, 'later');
    const claimed = (await ask<number>(next, 'commands.spent("plan")')) > 0;
    await ask(next, 'telemetry.flush()');
    // WebKitGTK ends the process of some tabs before their page is told, and before localStorage is written.
    if (environment.engine !== 'webkit' || how === 'navigation') environment.expect('claimed at the next visit', claimed, true);
    // A record has one outcome: its page reports it, or the next page does for a record left in the spill. Later records have their own.
    const outcomes = (): readonly string[] => [...new Set(environment.said(app))].filter((result) => result !== 'delivered');
    if (claimed) await until(() => outcomes().length > 0, how === 'closing' ? TELLING : PATIENCE);
    const told = outcomes();
    await expectOnce(environment, app, next);
    if (how === 'navigation') await page.close();
    if (!claimed) return 'lost';
    // A tab may be closed after its transaction completes and before the event that reports it. Then no page is left to report the outcome.
    if (how === 'closing' && told.length === 0) return 'counted, its page gone before it could say so';
    environment.expect('outcomes', told, ['recorded']);
    return 'counted';
  });

/**
 * What is recorded while a page is left has the same fate whether or not a metric with `otherwise` was recorded before it: at a next visit,
 * after the databases were deleted, and after a refusal.
 */
export const recordedWhileLeft = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'recorded while left', rounds, async (environment, round) => {
    const app = `hiding${round}`;
    const isPrinted = round % 2 === 0;
    const then = (['visited', 'evicted', 'refused'] as const)[Math.floor(round / 2) % 3] as 'visited' | 'evicted' | 'refused';
    const page = await environment.open(app);
    await ask(page, 'commands.grant()');
    await ask(page, `void commands.leaveAndAnswer(${isPrinted}, "/away")`);
    const next = await environment.open(app, 'later');
    environment.expect('claimed at the next visit', await ask(next, 'commands.spent("plan")'), 1);
    if (then === 'visited') {
      await ask(next, 'telemetry.flush()');
      await environment.expectCounted(app, 1, 'plan');
    } else {
      await ask(next, then === 'refused' ? 'commands.deny()' : 'telemetry.close()');
      if (then === 'evicted') await ask(next, 'commands.deleteAll()');
      const reports = environment.counted(app);
      const last = await environment.open(app, 'later');
      environment.expect('consent', await ask(last, 'commands.state()'), then === 'refused' ? 'denied' : 'ask');
      if (then === 'evicted') await ask(last, 'commands.grant()');
      const said = await ask(last, 'commands.answer("plan")');
      environment.expect('a record', said, then === 'refused' ? 'no-consent' : 'already-answered');
      environment.expect('of the ledger', await ask(last, 'commands.told("")'), then === 'refused' ? [] : ['storage-reset']);
      await ask(last, 'telemetry.flush()');
      environment.expect('reports afterwards', environment.counted(app), reports);
      await last.close();
    }
    await page.close();
    await next.close();
    return `${then} ${isPrinted ? 'beside a hidden record' : 'without'}`;
  });

export const leftByNavigation = (engine: Engine, rounds: number): Promise<Outcome> =>
  leaving(engine, rounds, 'navigation', 'left at once by navigation');

export const leftByClosing = (engine: Engine, rounds: number): Promise<Outcome> =>
  leaving(engine, rounds, 'closing', 'left at once by closing');
