/** The rounds in which all metrics are looked through for signs. */

import { expect, test, vi } from 'vitest';
import type { Totals } from '#collector/answers/summary.ts';
import { createWatching } from '#collector/answers/watching.ts';

test('a round that takes longer than the time between two is the only one', async () => {
  let begun = 0;
  let finish: (totals: Totals) => void = () => undefined;
  const watching = createWatching({
    store: { source: { folder: '/nowhere' } as never },
    totals: () => {
      begun++;
      return new Promise<Totals>((resolve) => {
        finish = resolve;
      });
    },
    catalogOf: () => ({ schemas: new Map(), metrics: [] }) as never,
    now: Date.now,
  });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const first = watching.signs();
  clock.mockReturnValue(200_000);
  const second = watching.signs();
  finish(new Map());
  expect([await first, await second, begun]).toEqual([[], [], 1]);
  void watching.signs();
  expect(begun).toBe(2);
  clock.mockRestore();
  finish(new Map());
  await watching.close();
});
