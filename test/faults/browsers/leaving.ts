/**
 * A page is left in the same tick as its record, by navigation or by closing its tab. The answer is counted now or at the next visit, and
 * only once.
 */

import type { Engine, Page } from '../../engines/engine.ts';
import { type Outcome, until } from '../outcome.ts';
import { ask, type Environment, inBrowser, PATIENCE } from './environment.ts';
import { expectOnce } from './tabs.ts';
import { visible } from './traced.ts';

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

/** What happens after a page was left. */
type Then = 'visited' | 'evicted' | 'refused';

/** A life in four documents. All that others could notice of each, and all that was sent, without the app's name. */
async function lived(environment: Environment, app: string, isPrinted: boolean, then: Then): Promise<readonly string[]> {
  const { open, expect, expectCounted } = environment;
  const seen: string[] = [];
  /** Notes the document that ends, or has ended, in a tab. */
  const note = async (page: Page): Promise<void> =>
    void seen.push('a document', ...(JSON.parse(await ask<string>(page, 'sessionStorage.getItem("lines")')) as string[]));

  const page = await open(app);
  await ask(page, 'commands.state()');
  await ask(page, 'commands.grant()');
  await ask(page, `void commands.leaveAndAnswer(${isPrinted}, "/away")`);
  await until(() => ask<boolean>(page, 'location.pathname === "/away"').catch(() => false), PATIENCE);
  await note(page);

  const next = await open(app, 'later');
  expect('claimed at the next visit', await ask(next, 'commands.spent("plan")'), 1);
  if (then === 'refused') await ask(next, 'commands.deny()');
  else await ask(next, then === 'visited' ? 'commands.flush()' : 'telemetry.close()');
  if (then === 'evicted') await ask(next, 'commands.deleteAll()');
  await note(next);
  await next.close();

  if (then === 'visited') await expectCounted(app, 1);
  else {
    const reports = environment.counted(app);
    const last = await open(app, 'later');
    expect('consent', await ask(last, 'commands.state()'), then === 'refused' ? 'denied' : 'ask');
    if (then === 'evicted') await ask(last, 'commands.grant()');
    expect('a record', await ask(last, 'commands.answer("plan")'), then === 'refused' ? 'no-consent' : 'already-answered');
    expect('of the ledger', await ask(last, 'commands.told("")'), then === 'refused' ? [] : ['storage-reset']);
    await ask(last, 'commands.flush()');
    expect('reports afterwards', environment.counted(app), reports);
    await note(last);
    await last.close();
  }

  // The slot of the hidden metric has ended. Its report is sent, with an answer or without.
  const end = await open(app, 'a month later');
  await ask(end, 'commands.state()');
  if (then === 'refused') await ask(end, 'commands.grant()');
  expect('a record a month later', await ask(end, 'commands.answer("plan")'), 'recorded');
  await ask(end, 'commands.flush()');
  await expectCounted(app, then === 'visited' ? 1 : 0, 'printed');
  await note(end);
  await ask(end, 'telemetry.close()');
  await ask(end, 'commands.deleteAll()'); // the next life finds as little as this one did
  await end.close();
  await page.close();

  // The documents have noted in which order they sent. Uploads of one document arrive as the network brings them.
  const sent = environment.uploads(app).map(([path, body]) => `${path} ${visible(body)}`);
  sent.sort();
  expect('uploads', sent.length > 0, true);
  return [...seen, ...sent].map((line) => line.replaceAll(app, '').replace(/\/1\/[0-9a-f]{16}/g, ''));
}

/**
 * A listener of a page that is being left records a metric with `otherwise`, or does not, and a later one another metric. On the same coins
 * and clock nobody can tell: at a next visit, after the databases were deleted, and after a refusal, each upload has the same bytes, address
 * and place in the order, and so have outcomes, transactions, writes and timers. Only the randomized bytes of the hidden metric may differ.
 */
export const recordedWhileLeft = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'recorded while left', rounds, async (environment, round) => {
    const then = (['visited', 'evicted', 'refused'] as const)[round % 3] as Then;
    const without = await lived(environment, `hiding${round}a`, false, then);
    const hiding = await lived(environment, `hiding${round}b`, true, then);
    const at = hiding.findIndex((line, i) => line !== without[i]);
    if (at >= 0 || hiding.length !== without.length)
      environment.failures.add(`a hidden record shows, ${then}`, `without "${without.at(at)}", with "${hiding.at(at)}"`);
    return `${then} twice`;
  });

export const leftByNavigation = (engine: Engine, rounds: number): Promise<Outcome> =>
  leaving(engine, rounds, 'navigation', 'left at once by navigation');

export const leftByClosing = (engine: Engine, rounds: number): Promise<Outcome> =>
  leaving(engine, rounds, 'closing', 'left at once by closing');
