/** Plans leave the thread that takes batches alone, whatever they are asked about, and say what is wrong with a question as before. */

import { createReader } from '@murmuration/collector/reader';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, read, start } from '../../kit/app.ts';

let running: Running;
beforeAll(async () => {
  running = await start();
});
afterAll(() => running.close());

/** Microseconds of CPU. */
const sumOf = ({ user, system }: NodeJS.CpuUsage): number => user + system;

test('a plan that takes long is not made by the thread that takes batches', async () => {
  const url = `${running.url}/v1/plan?type=choice&of=100000&epsilon=16`;
  await read(url); // the thread has loaded its modules
  const [whole, here] = [process.cpuUsage(), process.threadCpuUsage()];
  for (let i = 0; i < 2; i++) expect((await read(url)).body).toMatchObject({ type: 'choice' });
  expect(sumOf(process.threadCpuUsage(here))).toBeLessThan(sumOf(process.cpuUsage(whole)) / 2);
});

test('what is wrong with a question is said, whichever thread finds it', async () => {
  const plan = (query: string) => read(`${running.url}/v1/plan?${query}`);
  expect(await plan('type=choice&of=many')).toMatchObject({ status: 400, body: { error: 'bad-plan' } });
  expect(await plan('type=choice&of=3&wish=nothing:0.01')).toMatchObject({
    status: 400,
    body: { error: 'bad-plan', expected: 'wishes: expected metrics of the schema', got: '"nothing"' },
  });
});

test('wishes are in the plan', async () => {
  const { wishes } = await createReader(undefined, { url: running.url }).plan({ type: 'flag', wishes: { plan: 0.01 } });
  expect(wishes?.metrics.map(({ metric, error }) => [metric, error])).toEqual([['plan', 0.01]]);
});
