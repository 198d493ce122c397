/** One design on one set: its answer beside the truth, with the CPU time that it took. */

import { normalTail } from '#collector/estimation/statistics/tails.ts';
import type { SimulatedSet } from '../../kit/simulated-set.ts';
import type { Design } from './designs.ts';
import { oracleZ, type Verdict, verdictOf } from './verdict.ts';

export const FDR = 0.05;

const cpuSeconds = (): number => process.cpuUsage().user / 1e6;

/** What the oracle says of a set: each candidate's signal, and how many it finds of those that are somebody's. */
export interface Oracle {
  readonly signal: Float64Array;
  readonly found: number;
}

const LAMBDAS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

/**
 * The oracle's threshold: Benjamini and Hochberg with Storey's estimate, the mean over several λ. This is not the rule of what ships, and does
 * not change with it: otherwise power would not show what a better rule finds.
 */
export function thresholdOf(pValues: Float64Array): number {
  const above = LAMBDAS.map((lambda) => (pValues.reduce((sum, p) => sum + Number(p > lambda), 0) + 1) / (1 - lambda));
  const nulls = Math.min(pValues.length, above.reduce((sum, each) => sum + each, 0) / LAMBDAS.length);
  return pValues.toSorted().reduce((most, p, i) => (nulls * p <= FDR * (i + 1) ? p : most), 0);
}

export function oracleOf(set: SimulatedSet): Oracle {
  const { z, signal } = oracleZ(set);
  const pValues = z.map(normalTail);
  const threshold = thresholdOf(pValues);
  let found = 0;
  for (let v = 0; v < set.listed; v++) found += Number((pValues[v] as number) <= threshold);
  return { signal, found };
}

export function trial(set: SimulatedSet, design: Design, oracle: Oracle): Verdict {
  const started = cpuSeconds();
  const answer = design({ counts: set.counts, map: set.map, fdr: FDR });
  return verdictOf(set, answer, oracle.found, oracle.signal, cpuSeconds() - started);
}
