/**
 * Before consent a page stores nothing at all, whatever it does: no database, and no key in localStorage. A refusal reaches workers, which
 * have no localStorage, though its page is gone at once and another transaction holds the ledger.
 */

import type { Engine } from '../../engines/engine.ts';
import { type Outcome, until } from '../outcome.ts';
import { ask, inBrowser, PATIENCE } from './environment.ts';

export const beforeConsent = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'nothing kept before consent', rounds, async (environment, round) => {
    const page = await environment.open(`before${round}`);
    environment.expect('consent', await ask(page, 'commands.state()'), 'ask');
    environment.expect('a record', await ask(page, 'commands.answer("plan")'), 'no-consent');
    await ask(page, 'telemetry.flush()');
    await page.goto(environment.pageOf(`before${round}`, 'later'));
    environment.expect('consent of the next page', await ask(page, 'commands.state()'), 'ask');
    environment.expect('what is kept', await ask(page, 'commands.kept()'), [[], []]);
    environment.expect('reports', environment.counted(`before${round}`), 0);
    await page.close();
    return 'clean';
  });

/** The databases are deleted at each of some logouts, localStorage stays, and the app grants at each load: a slot has one report. */
export const loggedOut = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'databases deleted at logout', rounds, async (environment, round) => {
    const app = `logout${round}`;
    for (let visit = 0; visit < 3; visit++) {
      const page = await environment.open(app);
      environment.expect('consent', await ask(page, 'commands.state()'), 'ask');
      environment.expect('consent after it', await ask(page, 'commands.grant()'), 'granted');
      const said = await ask(page, 'commands.answer("plan")');
      environment.expect('a record', said, visit === 0 ? 'recorded' : 'already-answered');
      environment.expect('of the ledger', await ask(page, 'commands.told("")'), visit === 0 ? [] : ['storage-reset']);
      await ask(page, 'telemetry.close()');
      await ask(page, 'commands.deleteAll()');
      await page.close();
    }
    await environment.expectCounted(app, 1);
    return 'asked again, and one report';
  });

/** Another site frames the page: it records nothing, or where the app says `partitioned`, in a storage of its own for that site. */
export const framed = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'framed by another site', rounds, async (environment, round) => {
    const top = await environment.open(`top${round}`);
    const [shut, open] = [`shut${round}`, `partitioned${round}`];
    for (const [app, more] of [
      [shut, ''],
      [open, '&partitioned'],
    ] as const) {
      const address = `${environment.address}/?app=${app}&framed${more}`; // another host than the top page's
      await ask(top, `void (document.body.appendChild(document.createElement('iframe')).src = ${JSON.stringify(address)})`);
    }
    await until(() => environment.said(shut).length > 0 && environment.said(open).length > 0, PATIENCE);
    environment.expect('outcomes of the frame', environment.said(shut), ['third-party']);
    environment.expect('outcomes where partitioned', environment.said(open)[0], 'recorded');
    environment.expect('reports of the frame', environment.counted(shut), 0);
    await environment.expectCounted(open, 1);
    await top.close();
    return 'nothing recorded without `partitioned`';
  });

/** Milliseconds for which the ledger is busy. */
const BUSY = 600;

export const refusedAndLeft = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'refused and left while the ledger is busy', rounds, async (environment, round) => {
    const app = `refused${round}`;
    const other = await environment.open(app);
    await ask(other, 'commands.grant()');
    await ask(other, 'telemetry.close()'); // a page that goes on would tell the ledger what it hears
    const page = await environment.open(app);
    environment.expect('consent', await ask(page, 'commands.state()'), 'granted');
    environment.expect('consent in the worker', await ask(other, 'commands.inWorker("state")'), 'granted');
    await ask(other, `commands.hold(${BUSY})`);
    const isClosed = round % 2 === 1;
    await ask(page, `void commands.refuseAndLeave(${round % 4 < 2 ? 0 : 10}, ${isClosed ? 'undefined' : '"/away"'})`);
    if (isClosed) await page.close();
    await ask(other, 'commands.inWorker("answer", "plan")');
    await ask(other, 'commands.inWorker("flush")');
    // Recorded while the refusal was under way, it is erased. A page that WebKit froze may block the ledger: nothing is recorded then, either.
    const told = await ask<readonly string[]>(other, 'commands.inWorker("told", "plan")');
    environment.expect('the fate of a record', ['no-consent', 'storage-failed'].includes(told.at(-1) ?? ''), true);
    environment.expect('reports', environment.counted(app) + environment.counted(app, 'dark'), 0);
    if (!isClosed) await page.close();
    await other.close();
    return `${told.join(', ')} after ${isClosed ? 'a tab was closed' : 'a page was left'}`;
  });
