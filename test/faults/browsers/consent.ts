/** Before consent a page stores nothing at all, whatever it does: no database, and no key in localStorage. */

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
