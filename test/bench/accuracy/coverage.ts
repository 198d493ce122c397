/**
 * Whether 95 % intervals about the devices that reported cover 95 %, over seeded fleets of the shipping client on the demo's real data; beside it the error
 * that the law predicts, which is the baseline.
 */

import { simulateFleet } from '@murmuration/examples/demo/in-process';
import { type Part, percent } from '../../kit/part.ts';

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

/** Runs the fleets, one after the other. Fails unless all intervals together cover 94 to 96 %. */
export async function coverage(fleetCount: number, devices: number): Promise<Part> {
  const fleets: Fleet[] = [];
  for (let seed = 1; seed <= fleetCount; seed++) {
    fleets.push(await simulateFleet(devices, seed));
    if (seed % 20 === 0) process.stderr.write(`${seed} of ${fleetCount} fleets\n`);
  }
  const names = (fleets[0] as Fleet).map(({ metric }) => metric);
  const metrics = names.map((name) =>
    coverageOf(
      name,
      fleets.map((fleet) => fleet.filter(({ metric }) => metric === name)),
    ),
  );
  const pooled = coverageOf('all', fleets);
  const covers = pooled.coverage95 >= 0.94 && pooled.coverage95 <= 0.96;
  return {
    title: `95 % intervals about the devices that reported, over ${fleetCount} fleets of ${devices} devices`,
    failures: covers ? [] : [`coverage: expected 94 to 96 % of all intervals to hold the truth, got ${percent(pooled.coverage95)}`],
    rows: [
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
    ],
    result: { fleets: fleetCount, devices, pooled, metrics },
  };
}
