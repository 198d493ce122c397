/** The browser is killed after a record or a decision: no slot is answered twice, and what was said to be done is done. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../engines/engine.ts';
import { type Outcome, until } from '../outcome.ts';
import { ask, inBrowser, PATIENCE, type Place } from './place.ts';

/** Milliseconds between a record, or a decision, and the crash. */
const SOON = 300;
const LEAST = 20;
const MOST = 3_000;

/** Answers a question again in a later visit, and sends all that waits. */
async function answerAgain({ open }: Place, app: string): Promise<{ readonly claimed: boolean; readonly said: string }> {
  const page = await open(app, 'later');
  const claimed = (await ask<number>(page, 'commands.spent("plan")')) > 0;
  const said = await ask<string>(page, 'commands.answer("plan")');
  await ask(page, 'telemetry.flush()');
  await page.close();
  return { claimed, said };
}

/** A record, its upload, a crash, and a record again on the same day. */
export const killedAfterUpload = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'killed after an upload', rounds, async (place, round) => {
    const app = `upload${round}`;
    const page = await place.open(app);
    await ask(page, 'commands.grant()');
    await ask(page, 'void commands.answer("plan")');
    await ask(page, 'void telemetry.flush()');
    await place.expectCounted(app, 1);
    await place.crash();
    const { said } = await answerAgain(place, app);
    place.expect('a record after the crash', said, 'already-answered');
    await place.expectCounted(app, 1);
    return 'slots taken';
  });

/** A crash at any moment after a record: the answer may be lost until it was said to be recorded, and is never doubled. */
export const killedAtOnce = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'killed at once after a record', rounds, async (place, round) => {
    const app = `once${round}`;
    const page = await place.open(app);
    await ask(page, 'commands.grant()');
    await ask(page, 'void commands.answer("plan")');
    await sleep(Math.random() * SOON);
    const wasSaid = place.said(app).includes('recorded');
    await place.crash();
    const { claimed, said } = await answerAgain(place, app);
    if (wasSaid) place.expect('claimed, as it was said', [claimed, said], [true, 'already-answered']);
    await place.expectCounted(app, 1);
    return claimed ? 'kept' : 'lost, and answered again';
  });

/** A refusal, and a crash: what was refused stays refused, and nothing is delivered. */
export const killedAfterRefusal = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'killed after a refusal', rounds, async (place, round) => {
    const app = `refusal${round}`;
    const page = await place.open(app);
    await ask(page, 'commands.grant()');
    await ask(page, 'commands.answer("plan")');
    await ask(page, 'void commands.deny()');
    await sleep(LEAST + Math.random() * (MOST - LEAST));
    const wasSaid = place.said(app, '').includes('denied');
    await place.crash();
    const next = await place.open(app, 'later');
    const state = await ask<string>(next, 'commands.state()');
    if (wasSaid) {
      place.expect('consent after the crash', state, 'denied');
      place.expect('a record after the crash', await ask(next, 'commands.answer("dark")'), 'no-consent');
      await ask(next, 'telemetry.flush()');
      place.expect('reports after a refusal', place.counted(app) + place.counted(app, 'dark'), 0);
    }
    await next.close();
    return wasSaid ? 'refused' : `killed before the refusal was stored, ${state}`;
  });

/** A record while nothing is answered, a reload, and the network again. */
export const reloadedOffline = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'reloaded while offline', rounds, async (place, round) => {
    const app = `offline${round}`;
    place.setOnline(false);
    const page = await place.open(app);
    await ask(page, 'commands.grant()');
    await ask(page, 'commands.answer("plan")');
    await ask(page, 'telemetry.flush()');
    await page.reload();
    place.expect('batches that outlived their page', await ask(page, 'commands.waiting()'), 1);
    place.setOnline(true);
    await page.goto(place.pageOf(app, 'later'));
    await ask(page, 'telemetry.flush()');
    await until(() => place.counted(app) > 0, PATIENCE);
    place.expect('a record again', await ask(page, 'commands.answer("plan")'), 'already-answered');
    await ask(page, 'telemetry.flush()');
    await place.expectCounted(app, 1);
    await page.close();
    return 'counted once';
  });
