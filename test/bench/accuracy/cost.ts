/** What a list of 1024 answers costs at ε = 1, with `longList()` and without: the device's time, the collector's CPU, and its memory. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ListLaw, listLaw, longListLaw, mechanismOf, systemRng, toBase64url, words } from '@murmuration/shared';
import { createCoins } from '#client/random/coins.ts';
import type { Randomize } from '#client/randomizers/randomizer.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { randomizersOf } from '#collector/planning/simulate/lists.ts';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';
import type { Part } from '../../kit/part.ts';
import { median } from '../../kit/quantile.ts';
import { PUBLISHED_COSTS } from './published.ts';

const ANSWERS = 1024;
const REPORTS = 100_000;
const MOST_MICROS = 10;
const MOST_SECONDS = 0.15;
/** How much more may be held after ten times the reports: allocations of the runtime's own. */
const MOST_GROWTH = 2 ** 20;

/** Reports one after the other, and the microseconds that each took, from value to payload, with the system's randomness. */
function report(law: ListLaw, count: number): { readonly payloads: readonly string[]; readonly micros: readonly number[] } {
  const coins = createCoins(words(systemRng));
  const draw = randomizersOf(law).randomizers[law.mechanism] as Randomize<ListLaw, number>;
  const [payloads, micros]: [string[], number[]] = [[], []];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    payloads.push(toBase64url(draw(law, i % ANSWERS, coins)));
    micros.push((performance.now() - started) * 1000);
  }
  return { payloads, micros };
}

/** CPU seconds of this process, all of its threads, from payload strings to estimates. */
function foldingSeconds(law: ListLaw, payloads: readonly string[]): number {
  const before = process.cpuUsage();
  const folder = new Accumulator(mechanismOf(law).shape(law));
  folder.addPayloads(payloads);
  estimatesOf(law, { tallies: folder.tallies(), perDevice: 1, candidates: [] });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Bytes that are held after so many reports, as they stream by. */
function heldAfter(law: ListLaw, count: number, payloads: readonly string[], collectGarbage: () => void): number {
  const folder = new Accumulator(mechanismOf(law).shape(law));
  for (let added = 0; added < count; added += payloads.length) folder.addPayloads(payloads);
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  if (folder.tallies().get(0)?.reports !== count) throw new Error(`expected ${count} reports to be counted`);
  return heapUsed + arrayBuffers;
}

/** The device's median microseconds, the collector's CPU seconds, and how many more bytes it holds after ten times the reports. */
function costOf(law: ListLaw, collectGarbage: () => void) {
  const { payloads, micros } = report(law, REPORTS);
  const clientMicros = median(micros);
  foldingSeconds(law, payloads);
  const collectorSeconds = median([1, 2, 3, 4, 5].map(() => foldingSeconds(law, payloads)));
  const some = payloads.slice(0, 1_000);
  heldAfter(law, REPORTS, some, collectGarbage);
  const growthBytes = heldAfter(law, 10 * REPORTS, some, collectGarbage) - heldAfter(law, REPORTS, some, collectGarbage);
  return { parameters: law, clientMicros, collectorSeconds, growthBytes };
}

/** The costs of both laws. */
export function cost(): Part {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const found = [longListLaw(ANSWERS, 1), listLaw(ANSWERS, 1)].map((law) => costOf(law, collectGarbage));
  const gates: readonly (readonly [what: string, value: number, most: number])[] = found.flatMap((law) => [
    ['microseconds of a device for a report', law.clientMicros, MOST_MICROS],
    [`CPU seconds of the collector for ${REPORTS} reports`, law.collectorSeconds, MOST_SECONDS],
    ['bytes more held after ten times the reports', law.growthBytes, MOST_GROWTH],
  ]);
  return {
    title: `costs of ${ANSWERS} answers at ε = 1, ${REPORTS} reports; then those of other libraries`,
    failures: gates
      .filter(([, value, most]) => !(value <= most))
      .map(([what, value, most]) => `expected at most ${most} ${what}, got ${value}`),
    rows: [
      ['mechanism', 'client µs, median', 'collector CPU s', 'memory'],
      ...found.map(({ parameters, clientMicros, collectorSeconds, growthBytes }) => [
        parameters.mechanism,
        clientMicros.toFixed(2),
        collectorSeconds.toFixed(3),
        `${(growthBytes / 1024).toFixed(0)} KB more after ${10 * REPORTS}`,
      ]),
      ...PUBLISHED_COSTS,
    ],
    result: { answers: ANSWERS, reports: REPORTS, laws: found },
  };
}
