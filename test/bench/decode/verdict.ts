/** How a set's answer compares with the truth, and with an oracle that knows every other string. */

import { gather } from '#collector/decoding/decode/cells.ts';
import type { SimulatedSet } from '../../kit/simulated-set.ts';

/** What a design says of a set. */
export interface Answer {
  readonly isFound: Uint8Array;
  readonly estimate: Float64Array;
  readonly standardError: Float64Array;
  readonly low?: Float64Array;
  readonly high?: Float64Array;
  readonly distribution?: Float64Array;
  readonly label: string;
}

export interface Verdict {
  readonly label: string;
  readonly seconds: number;
  readonly found: number;
  readonly wrong: number;
  /** What the oracle finds. */
  readonly oracle: number;
  /** Of strings that stand clear of the noise: squared errors over squared standard errors, and how many. */
  readonly squares: number;
  readonly clear: number;
  /** Reported strings whose interval holds the truth. */
  readonly covered: number;
  /** Total variation distance of the distribution, and of what is reported. */
  readonly distance: number;
  readonly reportedDistance: number;
  /** Squared error over all candidates. */
  readonly squaredError: number;
}

/**
 * Clear of the noise: the oracle expects a z above this. Its z itself must not choose: of strings that lie just below, only those would count
 * whose noise is large, and standard errors would look too small.
 */
const CLEAR = 7;

/** In the oracle's standard errors: its estimate of each candidate, and the candidate's share of the population. */
export interface OracleZ {
  readonly z: Float64Array;
  readonly signal: Float64Array;
}

/** The oracle's z: every other string's contribution is removed, and variances are true. No design can reach it. */
export function oracleZ({ counts, map, population, expected }: SimulatedSet): OracleZ {
  const { cohorts, cells, reports, counts: seen, inside, outside } = counts;
  const width = cells + 1;
  const [weights, surplus] = [new Float64Array(expected.length), new Float64Array(expected.length)];
  for (let c = 0; c < cohorts; c++) {
    const here = reports[c] as number;
    if (here === 0) continue;
    for (let j = 0; j < cells; j++) {
      const at = c * width + j;
      const share = expected[at] as number;
      const rate = outside + (inside - outside) * share;
      weights[at] = (here * (inside - outside) ** 2) / (rate * (1 - rate));
      surplus[at] = (weights[at] as number) * (((seen[c * cells + j] as number) / here - outside) / (inside - outside) - share);
    }
  }
  const places = { ...map, cohorts, width };
  const [information, sums] = [new Float64Array(map.candidates), new Float64Array(map.candidates)];
  gather(places, weights, information);
  gather(places, surplus, sums);
  const signal = population.map((share, v) => share * Math.sqrt(information[v] as number));
  return { z: sums.map((sum, v) => (signal[v] as number) + sum / Math.sqrt(information[v] as number)), signal };
}

/** Half the sum of absolute differences, over candidates and strings on no list. */
function distance({ sampled, others }: SimulatedSet, shares: (v: number) => number): number {
  let sum = others.reduce((all, share) => all + share, 0);
  for (let v = 0; v < sampled.length; v++) sum += Math.abs((sampled[v] as number) - shares(v));
  return sum / 2;
}

export function verdictOf(set: SimulatedSet, answer: Answer, oracle: number, signal: Float64Array, seconds: number): Verdict {
  const { sampled, listed } = set;
  let [found, wrong, squares, clear, squaredError] = [0, 0, 0, 0, 0];
  let covered = answer.low === undefined ? Number.NaN : 0;
  for (let v = 0; v < sampled.length; v++) {
    const truth = sampled[v] as number;
    const [share, error] = [answer.estimate[v] as number, answer.standardError[v] as number];
    if (answer.isFound[v] === 1) {
      if (v < listed) found++;
      else wrong++;
      if (answer.low !== undefined && answer.high !== undefined)
        covered += Number((answer.low[v] as number) <= truth && truth <= (answer.high[v] as number));
    }
    if ((signal[v] as number) > CLEAR) {
      clear++;
      squares += ((share - truth) / error) ** 2;
    }
    squaredError += (share - truth) ** 2;
  }
  return {
    label: answer.label,
    seconds,
    found,
    wrong,
    oracle,
    squares,
    clear,
    covered,
    squaredError,
    distance: answer.distribution === undefined ? Number.NaN : distance(set, (v) => answer.distribution?.[v] as number),
    reportedDistance: distance(set, (v) => (answer.isFound[v] === 1 ? (answer.estimate[v] as number) : 0)),
  };
}
