/** One design on one set: its answer beside the truth, with the CPU time that it took. */

import { discoveriesOf } from '#collector/estimators/decode/discoveries.ts';
import { normalTail } from '#collector/statistics/normal.ts';
import type { Design } from './designs.ts';
import type { SimulatedSet } from './simulated.ts';
import { oracleZ, type Verdict, verdictOf } from './verdict.ts';

export const FDR = 0.05;

const cpuSeconds = (): number => process.cpuUsage().user / 1e6;

/** What the oracle says of a set: each candidate's signal, and how many it finds of those that are somebody's. */
export interface Oracle {
  readonly signal: Float64Array;
  readonly found: number;
}

export function oracleOf(set: SimulatedSet): Oracle {
  const { z, signal } = oracleZ(set);
  const pValues = z.map(normalTail);
  const { threshold } = discoveriesOf(pValues, FDR);
  let found = 0;
  for (let v = 0; v < set.listed; v++) found += Number((pValues[v] as number) <= threshold);
  return { signal, found };
}

export function trial(set: SimulatedSet, design: Design, oracle: Oracle): Verdict {
  const started = cpuSeconds();
  const answer = design({ counts: set.counts, map: set.map, fdr: FDR });
  return verdictOf(set, answer, oracle.found, oracle.signal, cpuSeconds() - started);
}
