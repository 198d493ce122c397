/** The tasks of a team on the demo, at two widths: how long each takes until its answer is there, from the start of the page on. */

import type { Browser } from 'playwright-core';
import { byMouse } from '../../demo/hands.ts';
import { startDemo } from '../../demo/started.ts';
import { TASKS, walk, wrongIn } from '../../demo/tasks.ts';
import type { Line } from '../lines.ts';

const WIDTHS = [1280, 390];
const SECONDS = 5;

export async function walking(browser: Browser): Promise<readonly Line[]> {
  const demo = await startDemo();
  const lines: Line[] = [];
  for (const width of WIDTHS) {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const done = await walk(byMouse(await context.newPage()), demo.address);
    const wrong = wrongIn(done);
    for (const each of done) {
      const { name, clicks, took } = each;
      const most = TASKS.find((task) => task.name === name)?.clicks;
      lines.push({
        what: `${width} px: ${name}, ${clicks} of ${most} clicks`,
        measured: wrong.includes(each) ? Number.NaN : took / 1_000,
        unit: 's',
        target: { atMost: SECONDS },
      });
    }
    await context.close();
  }
  await demo.stop();
  return lines;
}
