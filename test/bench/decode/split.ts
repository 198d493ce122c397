/**
 * Where power is lost. Beside the oracle, which knows every other string, stands what the best joint fit could know (limit.ts): with unlisted
 * strings as noise, and as if they were known, between which a fit by score lies. Each is tested by the oracle's rule. What ships is tested by
 * that rule, by its own, and as if the number of null candidates were known.
 */

import { decode } from '#collector/decoding/decode/decode.ts';
import { normalTail } from '#collector/estimation/statistics/tails.ts';
import type { Part } from '../../kit/part.ts';
import { type SimulatedSet, settingOf, simulated, UNLISTED } from '../../kit/simulated-set.ts';
import { limitOf } from './limit.ts';
import { FDR, thresholdOf } from './trial.ts';
import { oracleZ } from './verdict.ts';

/** What is found over what the oracle finds, by column, and the shares of false ones. */
interface Split {
  readonly group: string;
  readonly isFlagged: boolean;
  readonly power: readonly number[];
  readonly wrong: readonly number[];
}

const COLUMNS = ['limit, unlisted known', 'limit, unlisted as noise', 'ships, oracle’s rule', 'what ships', 'ships, nulls known'];

/** Strings found up to a p-value, and the share of false ones. */
function foundIn({ listed }: SimulatedSet, pValues: Float64Array, threshold: number): readonly [found: number, wrong: number] {
  let [found, wrong] = [0, 0];
  pValues.forEach((p, v) => {
    if (p > threshold) return;
    if (v < listed) found++;
    else wrong++;
  });
  return [found, wrong / Math.max(1, found + wrong)];
}

/** Benjamini and Hochberg with the true number of null candidates. */
function thresholdKnowing(nulls: number, pValues: Float64Array): number {
  return pValues.toSorted().reduce((most, p, i) => (nulls * p <= FDR * (i + 1) ? p : most), 0);
}

/** Undefined where the oracle finds nothing. */
function splitOf(set: SimulatedSet): Omit<Split, 'group'> | undefined {
  const { counts, map, listed, population, others } = set;
  const { z, signal } = oracleZ(set);
  const own = z.map(normalTail);
  const [oracle] = foundIn(set, own, thresholdOf(own));
  if (oracle === 0) return undefined;
  const { pValue, isFound, outcome } = decode({ counts, map, fdr: FDR });
  const perShare = (signal[0] as number) / (population[0] as number);
  const unlisted = others.reduce((sum, share) => sum + (share * perShare) ** 2, 0);
  const limits = [0, unlisted].map((noise) => {
    const error = limitOf(signal, noise, counts.cohorts * (counts.cells - 1));
    const pValues = z.map((each, v) => normalTail((signal[v] as number) / error + each - (signal[v] as number)));
    return foundIn(set, pValues, thresholdOf(pValues));
  });
  const shipped = isFound.reduce((most, is, v) => (is === 1 ? Math.max(most, pValue[v] as number) : most), -1);
  const nulls = Math.max(1, map.candidates - listed);
  const found = [
    ...limits,
    ...[thresholdOf(pValue), shipped, thresholdKnowing(nulls, pValue)].map((threshold) => foundIn(set, pValue, threshold)),
  ];
  return {
    isFlagged: outcome === 'overloaded',
    power: found.map(([right]) => right / oracle),
    wrong: found.map(([, wrong]) => wrong),
  };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** Over so many sets. Each cell is power / FDP. */
export function split(sets: number, seed: number): Part {
  const all: Split[] = [];
  for (let at = seed; at < seed + sets; at++) {
    const setting = settingOf(at);
    const found = splitOf(simulated(setting, at));
    if (found !== undefined) all.push({ ...found, group: setting.unlisted });
  }
  const groups: readonly (readonly [name: string, of: readonly Split[]])[] = [
    ['all', all],
    ['not flagged', all.filter(({ isFlagged }) => !isFlagged)],
    ...UNLISTED.map((name) => [`unlisted: ${name}`, all.filter(({ group }) => group === name)] as const),
    ['flagged', all.filter(({ isFlagged }) => isFlagged)],
  ];
  const rows = groups.map(([name, of]) => ({
    name,
    sets: of.length,
    cells: COLUMNS.map((_, i) => ({
      power: mean(of.map(({ power }) => power[i] as number)),
      fdp: mean(of.map(({ wrong }) => wrong[i] as number)),
    })),
  }));
  return {
    title: `Where power is lost: found over what the oracle finds, / FDP, over those of ${sets} sets from seed ${seed} on where it finds any`,
    failures: [],
    rows: [
      ['', 'sets', ...COLUMNS],
      ...rows.map(({ name, sets, cells }) => [
        name,
        String(sets),
        ...cells.map(({ power, fdp }) => `${power.toFixed(3)} / ${fdp.toFixed(3)}`),
      ]),
    ],
    result: rows,
  };
}
