/** End to end: answers are clicked while the coins have set words around a threshold, and what is sent must be what the law makes of them. */

import { batchesOf } from '../batches.ts';
import { type Check, listed, row } from '../check.ts';
import type { Script, Seen } from '../investigation.ts';
import { hexOfReport, inputOf, questionOf, throwCoins } from '../reference.ts';
import type { Found } from '../visit.ts';

const NAME = 'end to end';

/** Faults of a visit, and the answers whose way was followed. */
function follow(
  { answers, words }: Script,
  { draws, sent, unwatched }: Seen,
  devices: readonly Found[],
  others: ReadonlySet<string>,
): { readonly faults: readonly string[]; readonly followed: number } {
  const metrics = Object.fromEntries(devices.flatMap(({ document }) => Object.entries(document.metrics)));
  const faults: string[] = [];
  let followed = 0;
  for (const [name, answer] of Object.entries(answers)) {
    const metric = metrics[name];
    const question = metric && questionOf(metric);
    const draw = draws.find((each) => each.metric === name && each.armed);
    if (!metric || !question || !draw) continue;
    if (JSON.stringify(draw.law) !== JSON.stringify(metric.law))
      faults.push(`${name} was randomized by another law than that of the schema: ${JSON.stringify(draw.law)}`);
    const input = inputOf(question, answer);
    if (others.has(name) || JSON.stringify(draw.input) !== JSON.stringify(input)) continue;
    followed++;
    const expected = throwCoins(question, metric.law, 'value', input, [
      ...(words[name]?.words ?? []),
      ...Array.from({ length: 64 }, () => 0),
    ]);
    if (draw.bytes !== expected.bytes)
      faults.push(`${name} "${answer}" became ${draw.bytes}, and the law makes ${expected.bytes} of its coins`);
  }
  if (unwatched.length > 0) return { faults, followed };
  for (const { batch } of batchesOf(sent))
    for (const [name, report] of batch?.reports ?? []) {
      const stage = metrics[name]?.permanent ? 'report' : 'value';
      const isDrawn = draws.some((draw) => draw.metric === name && draw.stage === stage && draw.bytes === hexOfReport(report));
      if (metrics[name] && !isDrawn) faults.push(`a report of ${name} was sent that its randomizer did not make: ${report}`);
    }
  return { faults, followed };
}

export const endToEnd: Check = {
  name: NAME,
  run: async (investigation) => {
    const { devices } = await investigation.known();
    const stories = await investigation.stories();
    const all = stories.map(([script, seen]) => follow(script, seen, devices, investigation.others));
    const faults = [...new Set(all.flatMap((each) => each.faults))];
    if (faults.length > 0) return [row(NAME, 'failed', listed(faults))];
    const followed = all.reduce((sum, each) => sum + each.followed, 0);
    const reports = stories.flatMap(([, { sent }]) => batchesOf(sent).flatMap(({ batch }) => batch?.reports ?? [])).length;
    if (followed === 0 || reports === 0)
      return [
        row(
          NAME,
          'not tested',
          stories.length === 0
            ? 'no telemetry was found, or the plan names no answers'
            : `${followed} answers were recorded and ${reports} reports sent`,
        ),
      ];
    return [
      row(
        NAME,
        'passed',
        `${followed} answers on words just below and at a threshold; all ${reports} reports are what their laws make of them`,
      ),
    ];
  },
};
