/** The fleet's process: keeps so many devices in flight, counts the truth of what was delivered, and tells how far it is. */

import { countTruth, people, type Truths } from './data.ts';
import { report } from './device.ts';
import type { Orders, Progress } from './fleet.ts';

const CONCURRENT = 96; // devices in flight: enough that the collector's commits overlap, few enough for its sockets
const EVERY = 250; // milliseconds between two messages

async function run({ endpoint, devices, seed, atOnce, perSecond, relay }: Orders, post: (progress: Progress) => void): Promise<void> {
  const population = people(seed);
  const truths: Truths = {};
  const lost: { [result: string]: number } = {};
  const started = performance.now();
  let [begun, finished, delivered] = [0, 0, 0];
  const say = (): void => post({ devices: finished, delivered, lost, truths });
  const timer = setInterval(say, EVERY);
  const lane = async (): Promise<void> => {
    while (begun < devices) {
      const due = started + (Math.max(0, ++begun - atOnce) / perSecond) * 1_000;
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const reported = await report(population, { endpoint, ...(relay && { relay }) });
      for (const metric of reported.delivered) countTruth(truths, metric, reported.answers[metric]);
      for (const { result } of reported.lost) lost[result] = (lost[result] ?? 0) + 1;
      delivered += reported.delivered.length;
      finished++;
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENT, devices) }, lane));
  clearInterval(timer);
  say();
}

process.on('SIGINT', () => undefined); // Ctrl-C reaches every process of a terminal: the one that started this one stops it
process.once('disconnect', () => process.exit()); // it did, or is gone
const [, , orders = ''] = process.argv;
await run(JSON.parse(orders) as Orders, (progress) => process.send?.(progress));
process.disconnect();
