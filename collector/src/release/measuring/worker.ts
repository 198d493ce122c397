/** The thread that makes measurements which take long, one question after the other. */

import { serve } from '../../base/threads.ts';
import { systemRandom } from '../mechanisms/random.ts';
import { measuringBy } from '../query/making.ts';
import type { Resolved } from '../query/resolve.ts';
import { tableWith } from '../table/columns.ts';
import type { Made, Task } from './thread.ts';

const { expect, measure } = measuringBy(systemRandom());

serve(async ({ resolved, table, rows }: Task): Promise<Made> => {
  const whole: Resolved = { ...resolved, table: tableWith(table.app, table.schemas) };
  return rows === undefined ? { expected: await expect(whole) } : { measured: await measure(whole, rows) };
});
