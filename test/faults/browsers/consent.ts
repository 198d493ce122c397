/**
 * Before consent a page stores nothing at all, whatever it does: no database, and no key in localStorage. A refusal reaches workers, which
 * have no localStorage, though its page is gone at once and another transaction holds the ledger.
 */

import type { Engine } from '../../engines/engine.ts';
import type { Outcome } from '../outcome.ts';
import { ask, inBrowser } from './environment.ts';

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
    const said = await ask<string>(other, 'commands.inWorker("answer", "plan")');
    // A page that WebKit froze in a transaction may block the ledger: then nothing is recorded either.
    if (said !== 'storage-failed') environment.expect('a record of the worker', said, 'no-consent');
    await ask(other, 'commands.inWorker("flush")');
    environment.expect('reports', environment.counted(app) + environment.counted(app, 'dark'), 0);
    if (!isClosed) await page.close();
    await other.close();
    return `${said} after ${isClosed ? 'a tab was closed' : 'a page was left'}`;
  });
