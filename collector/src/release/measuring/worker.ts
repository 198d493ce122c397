/** The thread that makes measurements which take long, one question after the other. */

import { parentPort } from 'node:worker_threads';
import { systemRandom } from '../mechanisms/random.ts';
import { measuringBy } from '../query/making.ts';
import type { Resolved } from '../query/resolve.ts';
import { tableWith } from '../table/columns.ts';
import type { Reply, Task } from './thread.ts';

const { expect, measure } = measuringBy(systemRandom());

async function replyTo({ resolved, table, rows }: Task): Promise<Reply> {
  const whole: Resolved = { ...resolved, table: tableWith(table.app, table.schemas) };
  return rows === undefined ? { expected: await expect(whole) } : { measured: await measure(whole, rows) };
}

parentPort?.on('message', (task: Task) => {
  replyTo(task).then(
    (reply) => parentPort?.postMessage(reply),
    (error: unknown) => {
      const isInput = error instanceof RangeError;
      parentPort?.postMessage({ problem: (error as Error).message, isInput } satisfies Reply);
    },
  );
});
