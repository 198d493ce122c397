/** `--minimum` is for readability: what two shown estimates differ by is the report of one device, as the pages say. */

import { expect, test } from 'vitest';
import { bodyOf, NOW, read, start } from '../../kit/app.ts';

interface Shown {
  readonly reports: number;
  readonly answers: readonly { readonly answer: unknown; readonly estimate: number }[];
}

test('two estimates above the minimum, subtracted, give one device its report', async () => {
  const [minimum, day] = [20, (daysAgo: number) => new Date(NOW - daysAgo * 86_400_000).toISOString().slice(0, 10)];
  const running = await start({ minimum });
  await running.send(await Promise.all(Array.from({ length: minimum }, (_, device) => bodyOf(device, 'web', 1))));
  const one = await bodyOf(minimum, 'web', 0);
  await running.send([one]);
  const at = async (from: string, to: string): Promise<Shown> =>
    (await read<Shown>(`${running.url}/v1/metrics/plan/estimates?among=reports&from=${from}&to=${to}`)).body;
  expect(await at(day(0), day(0))).toMatchObject({ reports: 1, answers: [] });
  const [all, others] = [await at(day(1), day(0)), await at(day(1), day(1))];
  const added = all.answers.map(({ answer, estimate }, i) => ({
    answer,
    sum: estimate * all.reports - (others.answers[i]?.estimate ?? 0) * others.reports,
  }));
  await running.close();
  const lone = await start({ minimum: 1 });
  await lone.send([one]);
  const { body } = await read<Shown>(`${lone.url}/v1/metrics/plan/estimates?among=reports`);
  await lone.close();
  expect(body.answers).toHaveLength(3);
  for (const [i, { answer, estimate }] of body.answers.entries()) {
    expect(added[i]?.answer).toBe(answer);
    expect(added[i]?.sum).toBeCloseTo(estimate, 9);
  }
});
