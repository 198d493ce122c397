/** Two tabs of one app: they act in the same millisecond, take over from each other, and send at the same time. A slot is answered once. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, Page } from '../../engines/engine.ts';
import type { Outcome } from '../outcome.ts';
import { ask, type Environment, inBrowser } from './environment.ts';

/** Milliseconds until two tabs act together. */
const SOON = 150;
/** Milliseconds after which the second tab counts as late. */
const LATE = 1_500;
/** The largest share of batches that may be posted twice. */
const TWICE = 0.25;

/** Opens two tabs after consent. */
async function twoTabs({ open }: Environment, app: string): Promise<readonly [Page, Page]> {
  const [one, other] = [await open(app), await open(app)];
  await ask(one, 'commands.grant()');
  await ask(other, 'commands.state()');
  return [one, other];
}

/** Sends everything queued from a later visit, and expects one report of a metric: another record there finds the slot taken. */
async function expectOne({ open, expect, expectCounted }: Environment, app: string, metric = 'plan'): Promise<void> {
  const page = await open(app, 'later');
  await ask(page, 'commands.state()');
  expect('a record at the next visit', await ask(page, `commands.answer("${metric}")`), 'already-answered');
  await ask(page, 'telemetry.flush()');
  await page.close();
  await expectCounted(app, 1, metric);
}

/** One round at a time, because both tabs need a processor in that millisecond. */
export const sameMillisecond = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(
    engine,
    'the same slot in the same millisecond',
    rounds,
    async (environment, round) => {
      const app = `same${round}`;
      const tabs = await twoTabs(environment, app);
      const time = Date.now() + SOON;
      const said = await Promise.all(tabs.map((tab) => ask<string>(tab, `commands.answerAt(${time}, "plan")`)));
      environment.expect('outcomes of two tabs', said.sort(), ['already-answered', 'recorded']);
      await Promise.all(tabs.map((tab) => ask(tab, 'telemetry.flush()')));
      await Promise.all(tabs.map((tab) => tab.close()));
      await expectOne(environment, app);
      return 'answered once';
    },
    1,
  );

/** A records and closes; B records at once or a while later. */
export const handOver = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'a tab hands over to another', rounds, async (environment, round) => {
    const app = `over${round}`;
    const [one, other] = await twoTabs(environment, app);
    const closes = round % 2 === 0;
    if (closes) {
      await ask(one, 'void commands.answer("plan")');
      await one.close();
    } else await ask(one, 'void commands.answerAndLeave("plan", "/away")');
    if (round % 4 > 1) await sleep(LATE);
    await ask(other, 'commands.answer("plan")');
    await ask(other, 'telemetry.flush()');
    await other.close();
    if (!closes) await one.close();
    await expectOne(environment, app);
    return closes ? 'closed' : 'navigated';
  });

/** B records while A is open, and closes at once. */
export const secondTab = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'a second tab records and closes', rounds, async (environment, round) => {
    const app = `second${round}`;
    const [one, other] = await twoTabs(environment, app);
    await ask(other, 'void commands.answer("plan")');
    await other.close();
    await ask(one, 'commands.answer("dark")');
    await ask(one, 'telemetry.flush()');
    const atOnce = environment.counted(app) > 0;
    await one.close();
    // WebKitGTK may end a tab's process before the record reaches its localStorage.
    const page = await environment.open(app, 'later');
    const claimed = (await ask<number>(page, 'commands.spent("plan")')) > 0;
    if (environment.engine !== 'webkit') environment.expect('claimed at the next visit', claimed, true);
    await ask(page, 'telemetry.flush()'); // WebKitGTK may end a tab's process without an event
    await expectOnce(environment, app, page);
    return atOnce ? 'counted at once' : claimed ? 'at the next visit' : 'lost';
  });

/** Like `expectOne`, in a tab that is open already, and when the answer may be lost. The next answer then takes the slot. */
export async function expectOnce({ pageOf, expectCounted }: Environment, app: string, page: Page, metric = 'plan'): Promise<void> {
  await page.goto(pageOf(app, 'later'));
  await ask(page, 'commands.state()');
  await ask(page, `commands.answer("${metric}")`);
  await ask(page, 'telemetry.flush()');
  await page.close();
  await expectCounted(app, 1, metric);
}

/** Two tabs record and send at the same time. Batches that both post are counted once, and are rare. */
export const twoSenders = async (engine: Engine, rounds: number): Promise<Outcome> => {
  const times: number[] = [];
  const outcome = await inBrowser(engine, 'two tabs sending', rounds, async (environment, round) => {
    const app = `send${round}`;
    const tabs = await twoTabs(environment, app);
    await Promise.all([ask(tabs[0], 'commands.answer("plan")'), ask(tabs[1], 'commands.answer("dark")')]);
    await Promise.all([...tabs, ...tabs].map((tab) => ask(tab, 'telemetry.flush()')));
    await Promise.all(tabs.map((tab) => tab.close()));
    await environment.expectCounted(app, 1);
    await environment.expectCounted(app, 1, 'dark');
    times.push(...environment.times(app));
    return undefined;
  });
  const twice = times.filter((count) => count > 1).length;
  const isOften = twice > TWICE * times.length;
  return {
    ...outcome,
    seen: `${twice} of ${times.length} batches posted twice, none counted twice`,
    failures: [...outcome.failures, ...(isOften ? ['batches posted twice'] : [])],
  };
};
