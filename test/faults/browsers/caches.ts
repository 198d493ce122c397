/** The back/forward cache: a restored page continues from what is stored, and a frozen page blocks no other. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, Page } from '../../engines/engine.ts';
import { type Outcome, until } from '../outcome.ts';
import { ask, type Environment, inBrowser, PATIENCE } from './environment.ts';

/** Resolves when the page with these parameters is loaded. */
const hasCome = (page: Page, search: string): Promise<boolean> => {
  const isThere = `location.search === ${JSON.stringify(search)} && document.readyState === 'complete'`;
  return until(() => ask<boolean>(page, isThere).catch(() => false), PATIENCE);
};

/**
 * Goes back to the page with these parameters. WebKit may report the load as cancelled when the page comes from its cache, but shows it
 * anyway.
 */
async function goBack(page: Page, search: string): Promise<void> {
  await page.back().catch(() => {});
  await hasCome(page, search);
}

/**
 * How often a round is retried, and the result of a round whose page was reloaded instead of restored. Firefox reloads about one page in a
 * hundred, whatever runs in it.
 */
const TRIES = 5;
const ANEW = 'loaded anew by the engine';

/** Closes a page that was not restored as often as it should have been. */
async function isAnew(page: Page, restored: number): Promise<boolean> {
  const shown = await ask<readonly boolean[]>(page, 'shown');
  const isIt = JSON.stringify(shown) !== JSON.stringify([false, ...Array.from({ length: restored }, () => true)]);
  if (isIt) await page.close();
  return isIt;
}

/** A round of a page that is restored from the cache. Repeats it with another app when the engine has reloaded the page. */
async function restoring(environment: Environment, app: string, round: (app: string) => Promise<string>): Promise<readonly string[]> {
  const results = [await round(app)];
  while (results.at(-1) === ANEW && results.length < TRIES) results.push(await round(`${app}again${results.length}`));
  environment.expect('restored', results.at(-1) !== ANEW, true);
  return results;
}

/** A consents, B records, then back to A: its state is what B left. */
export const backToFirst = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'back to a page from the cache', rounds, (environment, round) =>
    restoring(environment, `back${round}`, async (app) => {
      const page = await environment.open(app);
      await ask(page, 'commands.grant()');
      await page.goto(environment.pageOf(app, 'later'));
      environment.expect('the record of the second page', await ask(page, 'commands.answer("plan")'), 'recorded');
      await ask(page, 'telemetry.flush()');
      await goBack(page, `?app=${app}`);
      if (await isAnew(page, 1)) return ANEW;
      environment.expect('what the first page knows', await ask(page, 'commands.spent("plan")'), 1);
      environment.expect('the record of the first page', await ask(page, 'commands.answer("plan")'), 'already-answered');
      environment.expect('another record of the first page', await ask(page, 'commands.answer("dark")'), 'recorded');
      await ask(page, 'telemetry.flush()');
      await environment.expectCounted(app, 1);
      await environment.expectCounted(app, 1, 'dark');
      await page.close();
      return 'restored and fresh';
    }),
  );

/** Telemetry keeps no page out of the cache: not before consent, not after it, and not right after a record. */
export const restored = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'restored from the cache', rounds, (environment, round) =>
    restoring(environment, `cache${round}`, async (app) => {
      const page = await environment.open(app);
      const goAndBack = async (): Promise<void> => {
        await page.goto(environment.pageOf('elsewhere'));
        await goBack(page, `?app=${app}`);
      };
      await ask(page, 'commands.state()');
      await goAndBack();
      if (await isAnew(page, 1)) return ANEW;
      environment.expect('consent', await ask(page, 'commands.grant()'), 'granted');
      await goAndBack();
      if (await isAnew(page, 2)) return ANEW;
      await ask(page, 'commands.answer("plan")');
      await goAndBack();
      if (await isAnew(page, 3)) return ANEW;
      await ask(page, 'telemetry.flush()');
      await page.close();
      return 'restored three times';
    }),
  );

/**
 * A page is frozen with an open transaction. Another page of the origin can record at once, and the first continues when it is restored.
 */
export const frozen = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'frozen with a transaction under way', rounds, (environment, round) =>
    restoring(environment, `frozen${round}`, async (app) => {
      const page = await environment.open(app);
      await ask(page, 'commands.grant()');
      await ask(page, 'void commands.keepBusy()');
      await sleep(Math.random() * 30);
      await ask(page, `void commands.answerAndLeave("plan", ${JSON.stringify(environment.pageOf(`${app}next`))})`);
      const other = await environment.open(`${app}other`);
      environment.expect('consent in another tab', await ask(other, 'commands.grant()'), 'granted');
      environment.expect('a record in another tab', await ask(other, 'commands.answer("plan")'), 'recorded');
      await other.close();
      await hasCome(page, `?app=${app}next`);
      await ask(page, 'commands.grant()');
      environment.expect('a record in the same tab', await ask(page, 'commands.answer("plan")'), 'recorded');
      await goBack(page, `?app=${app}`);
      if (await isAnew(page, 1)) return ANEW;
      environment.expect('what the page that is back has spent', await ask(page, 'commands.spent("plan")'), 1);
      environment.expect('a second record of the page that is back', await ask(page, 'commands.answer("plan")'), 'already-answered');
      environment.expect('another record of the page that is back', await ask(page, 'commands.answer("dark")'), 'recorded');
      await page.goto(environment.pageOf(app, 'later'));
      await ask(page, 'telemetry.flush()');
      await environment.expectCounted(app, 1);
      await page.close();
      return 'restored, and nobody held up';
    }),
  );
