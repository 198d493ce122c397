/** Before consent a page stores nothing at all, whatever it does: no database, and no key in localStorage. */

import type { Engine } from '../../engines/engine.ts';
import type { Outcome } from '../outcome.ts';
import { ask, inBrowser } from './place.ts';

export const beforeConsent = (engine: Engine, rounds: number): Promise<Outcome> =>
  inBrowser(engine, 'nothing kept before consent', rounds, async (place, round) => {
    const page = await place.open(`before${round}`);
    place.expect('consent', await ask(page, 'commands.state()'), 'ask');
    place.expect('a record', await ask(page, 'commands.answer("plan")'), 'no-consent');
    await ask(page, 'telemetry.flush()');
    await page.goto(place.pageOf(`before${round}`, 'later'));
    place.expect('consent of the next page', await ask(page, 'commands.state()'), 'ask');
    place.expect('what is kept', await ask(page, 'commands.kept()'), [[], []]);
    place.expect('reports', place.counted(`before${round}`), 0);
    await page.close();
    return 'clean';
  });
