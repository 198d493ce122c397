/**
 * `npm run bench -- accuracy [--fleets 200] [--devices 10000]`: whether 95 % intervals cover 95 %, over seeded fleets of the
 * shipping client on the demo's real data; beside it the error that the law predicts, which is the baseline.
 */

import { parseArgs } from 'node:util';
import { simulateFleet } from '@murmuration/examples/demo/in-process';

/** Coverage of one metric's intervals, or of all. */
interface Coverage {
  readonly metric: string;
  readonly intervals: number;
  /** The share of intervals that hold the truth, and its standard error: intervals of one fleet vary together, fleets do not. */
  readonly coverage95: number;
  readonly standardError: number;
  /** Mean squared error over what the law predicts for these very devices. */
  readonly errorRatio: number;
  /** The mean of z2 over its degrees of freedom, 1 under the law; and the share of fleets whose p-value is below 1 %. */
  readonly z2PerDegree: number;
  readonly below1Percent: number;
}

type Fleet = Awaited<ReturnType<typeof simulateFleet>>;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, x) => total + x, 0);
const mean = (numbers: readonly number[]): number => sum(numbers) / numbers.length;

function coverageOf(metric: string, fleets: readonly Fleet[]): Coverage {
  const perFleet = fleets.map((fleet) => {
    const answers = sum(fleet.map((compared) => compared.answers));
    return sum(fleet.map((compared) => compared.coverage95 * compared.answers)) / answers;
  });
  const all = fleets.flat();
  const coverage95 = mean(perFleet);
  const spread = sum(perFleet.map((share) => (share - coverage95) ** 2)) / Math.max(1, fleets.length - 1);
  return {
    metric,
    intervals: sum(all.map(({ answers }) => answers)),
    coverage95,
    standardError: Math.sqrt(spread / fleets.length),
    errorRatio:
      sum(all.map(({ rmse, answers }) => rmse ** 2 * answers)) / sum(all.map(({ expectedRmse, answers }) => expectedRmse ** 2 * answers)),
    z2PerDegree: mean(all.map(({ z2, df }) => z2 / df)),
    below1Percent: mean(all.map(({ pValue }) => Number(pValue < 0.01))),
  };
}

/** What this benchmark found. */
export interface Accuracy {
  readonly fleets: number;
  readonly devices: number;
  readonly seconds: number;
  readonly passed: boolean;
  readonly pooled: Coverage;
  readonly metrics: readonly Coverage[];
}

/** Runs the fleets, one after the other. */
export async function accuracy(
  args: readonly string[],
): Promise<{ readonly result: Accuracy; readonly rows: readonly (readonly string[])[] }> {
  const { values } = parseArgs({
    args: [...args],
    options: { fleets: { type: 'string', default: '200' }, devices: { type: 'string', default: '10000' } },
  });
  const [count, devices] = [Number(values.fleets), Number(values.devices)];
  if (!(Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(devices) && devices > 0)) {
    throw new TypeError(`expected --fleets and --devices to be whole numbers above 0, got ${values.fleets} and ${values.devices}`);
  }
  const started = performance.now();
  const fleets: Fleet[] = [];
  for (let seed = 1; seed <= count; seed++) {
    fleets.push(await simulateFleet(devices, seed));
    if (seed % 20 === 0) process.stderr.write(`${seed} of ${count} fleets\n`);
  }
  const names = (fleets[0] as Fleet).map(({ metric }) => metric);
  const metrics = names.map((name) =>
    coverageOf(
      name,
      fleets.map((fleet) => fleet.filter(({ metric }) => metric === name)),
    ),
  );
  const pooled = coverageOf('all', fleets);
  const seconds = Math.round(performance.now() - started) / 1_000;
  const passed = pooled.coverage95 >= 0.94 && pooled.coverage95 <= 0.96;
  const percent = (x: number): string => `${(100 * x).toFixed(2)} %`;
  const rows = [
    ['metric', 'intervals', 'covered', '+-', 'error/law', 'z2/df', 'p < 1 %'],
    ...[...metrics, pooled].map((row) => [
      row.metric,
      String(row.intervals),
      percent(row.coverage95),
      percent(row.standardError),
      row.errorRatio.toFixed(3),
      row.z2PerDegree.toFixed(3),
      percent(row.below1Percent),
    ]),
  ];
  return { result: { fleets: count, devices, seconds, passed, pooled, metrics }, rows };
}
