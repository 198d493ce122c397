/** The browser is killed after a record or a decision. No slot is answered twice, and whatever was reported as done is done. */

import { setTimeout as sleep } from 'node:timers/promises';
import { BrowserEnded, type Engine, type Page } from '../../engines/engine.ts';
import { type Outcome, until } from '../outcome.ts';
import { ask, type Environment, inBrowser, PATIENCE } from './environment.ts';

/** How many apps one crash ends, each with its own page and slot. (Starting a browser takes long.) */
const TOGETHER = 3;
/** Milliseconds between a record, or a decision, and the crash. */
const SOON = 300;
const MOST = 3_000;

/** What happens to an app before and after a crash. */
interface Crash {
  /** Milliseconds between the action, or its earliest moment, and the crash. Without, the crash waits for whatever happens before. */
  readonly within?: number;
  readonly before: (environment: Environment, app: string, page: Page) => Promise<unknown>;
  /** Whether a page had reported the action as done when the browser was killed. */
  readonly wasSaid?: (environment: Environment, app: string) => boolean;
  /** Results are counted by name. */
  readonly after: (environment: Environment, app: string, wasSaid: boolean) => Promise<string>;
}

/** Lets everything happen that happens before a crash: what takes its own time first, and then the rest, so that all end together. */
async function allBefore(
  environment: Environment,
  apps: readonly string[],
  pages: readonly Page[],
  crashOf: (i: number) => Crash,
): Promise<void> {
  const happen = async (i: number): Promise<unknown> => crashOf(i).before(environment, apps[i] as string, pages[i] as Page);
  const numbers = [...apps.keys()];
  const longest = Math.max(0, ...numbers.map((i) => crashOf(i).within ?? 0));
  await Promise.all(numbers.filter((i) => crashOf(i).within === undefined).map(happen));
  const timed = numbers.flatMap((i) => {
    const { within } = crashOf(i);
    return within === undefined ? [] : [sleep(longest - within).then(() => happen(i))];
  });
  await Promise.all(timed);
}

/**
 * Runs the rounds, a few in each crash: first with an app's page after consent, and then with what is left when the browser runs again.
 * Different kinds of crash take turns.
 */
async function killed(engine: Engine, fault: string, rounds: number, ...crashes: readonly Crash[]): Promise<Outcome> {
  const count = Math.ceil(rounds / TOGETHER);
  const crashOf = (i: number): Crash => crashes[i % crashes.length] as Crash;
  const outcome = await inBrowser(engine, fault, count, async (environment, crash) => {
    const apps = Array.from({ length: TOGETHER }, (_, i) => `crash${crash}app${i}`);
    const pages = await Promise.all(apps.map((app) => environment.open(app)));
    await Promise.all(pages.map((page) => ask(page, 'commands.grant()')));
    await allBefore(environment, apps, pages, crashOf);
    const said = apps.map((app, i) => crashOf(i).wasSaid?.(environment, app) ?? true);
    await environment.crash();
    return Promise.all(apps.map((app, i) => crashOf(i).after(environment, app, said[i] as boolean)));
  });
  return { ...outcome, tried: `${count * TOGETHER} rounds in ${count} crashes` };
}

/** Answers a question again in a later visit, and sends everything that is queued. */
async function answerAgain({ open }: Environment, app: string): Promise<{ readonly claimed: boolean; readonly said: string }> {
  const page = await open(app, 'later');
  const claimed = (await ask<number>(page, 'commands.spent("plan")')) > 0;
  const said = await ask<string>(page, 'commands.answer("plan")');
  await ask(page, 'telemetry.flush()');
  await page.close();
  return { claimed, said };
}

/** A record, its upload, a crash, and a record again on the same day. */
const afterUpload: Crash = {
  before: async (environment, app, page) => {
    await ask(page, 'void commands.answer("plan")');
    await ask(page, 'void telemetry.flush()');
    await environment.expectCounted(app, 1);
  },
  after: async (environment, app) => {
    const { said } = await answerAgain(environment, app);
    environment.expect('a record after the crash', said, 'already-answered');
    await environment.expectCounted(app, 1);
    return 'slots taken';
  },
};

/**
 * Runs an action at a random time within the milliseconds before a crash, often shortly before it. The crash does not wait for the action.
 */
async function within(milliseconds: number, { failures }: Environment, happen: () => Promise<unknown>): Promise<void> {
  const crash = sleep(milliseconds);
  await sleep(milliseconds * (1 - Math.random() ** 3));
  happen().catch((error: Error) => error instanceof BrowserEnded || failures.add('broke off', error.message));
  await crash;
}

/** A crash at any moment after a record. The answer may be lost until it was reported as recorded, and is never doubled. */
const atOnce: Crash = {
  within: SOON,
  before: (environment, _, page) => within(SOON, environment, () => ask(page, 'void commands.answer("plan")')),
  wasSaid: (environment, app) => environment.said(app).includes('recorded'),
  after: async (environment, app, wasSaid) => {
    const { claimed, said } = await answerAgain(environment, app);
    if (wasSaid) environment.expect('claimed, as it was said', [claimed, said], [true, 'already-answered']);
    await environment.expectCounted(app, 1);
    return claimed ? 'kept' : 'lost, and answered again';
  },
};

/** A refusal, then a crash: the refusal persists, and nothing is delivered. */
const afterRefusal: Crash = {
  within: MOST,
  // Timed in the page, because an upload may be due a second after the record.
  before: (environment, _, page) => within(MOST, environment, () => ask(page, 'void commands.answer("plan").then(commands.deny)')),
  wasSaid: (environment, app) => environment.said(app, '').includes('denied'),
  after: async (environment, app, wasSaid) => {
    const next = await environment.open(app, 'later');
    const state = await ask<string>(next, 'commands.state()');
    if (wasSaid) {
      environment.expect('consent after the crash', state, 'denied');
      environment.expect('a record after the crash', await ask(next, 'commands.answer("dark")'), 'no-consent');
      await ask(next, 'telemetry.flush()');
      environment.expect('reports after a refusal', environment.counted(app) + environment.counted(app, 'dark'), 0);
    }
    await next.close();
    return wasSaid ? 'refused' : `killed before the refusal was stored, ${state}`;
  },
};

export const killedAfterUpload = (engine: Engine, rounds: number): Promise<Outcome> =>
  killed(engine, 'killed after an upload', rounds, afterUpload);

export const killedAtOnce = (engine: Engine, rounds: number): Promise<Outcome> =>
  killed(engine, 'killed at once after a record', rounds, atOnce);

export const killedAfterRefusal = (engine: Engine, rounds: number): Promise<Outcome> =>
  killed(engine, 'killed after a refusal', rounds, afterRefusal);

/** One of each in every crash, for a short run: starting a browser takes most of it. */
export const killedAnyhow = (engine: Engine, rounds: number): Promise<Outcome> =>
  killed(engine, 'killed after an upload, at once after a record, and after a refusal', rounds, afterUpload, atOnce, afterRefusal);

/** A record without a network, a reload, and then the network again. */
export const reloadedOffline = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'reloaded while offline', rounds, async (environment, round) => {
    const app = `offline${round}`;
    environment.setOnline(false);
    const page = await environment.open(app);
    await ask(page, 'commands.grant()');
    await ask(page, 'commands.answer("plan")');
    await ask(page, 'telemetry.flush()');
    await page.reload();
    environment.expect('batches that outlived their page', await ask(page, 'commands.waiting()'), 1);
    environment.setOnline(true);
    await page.goto(environment.pageOf(app, 'later'));
    await ask(page, 'telemetry.flush()');
    await until(() => environment.counted(app) > 0, PATIENCE);
    environment.expect('a record again', await ask(page, 'commands.answer("plan")'), 'already-answered');
    await ask(page, 'telemetry.flush()');
    await environment.expectCounted(app, 1);
    await page.close();
    return 'counted once';
  });
