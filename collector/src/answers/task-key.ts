/** What identifies the answer to a task. */

import { type Totals, totalKey } from './fresh-totals.ts';
import type { Selected } from './tasks.ts';

interface Asked {
  readonly of: readonly Selected[];
}

/** The versions of the tallies of a task's metrics. */
export const versionsOf = ({ of }: Asked, totals: Totals): string =>
  JSON.stringify(of.map(({ metric }) => metric.schemas.map((schema) => totals.get(totalKey(schema, metric.metric))?.version)));

/** The task, and the versions of its metrics' tallies. */
export const keyOf = (task: Asked, totals: Totals): string => `${JSON.stringify(task)} ${versionsOf(task, totals)}`;
