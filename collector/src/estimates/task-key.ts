/** What identifies the answer to a task. */

import { type Totals, totalKey } from './fresh-totals.ts';
import type { Selected } from './tasks.ts';

/** The task, and the versions of its metrics' tallies. */
export const keyOf = (task: { readonly of: readonly Selected[] }, totals: Totals): string =>
  JSON.stringify([task, task.of.map(({ metric }) => metric.schemas.map((schema) => totals.get(totalKey(schema, metric.metric))?.version))]);
