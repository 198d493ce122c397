/**
 * The sample-ratio check of a comparison of two arms: whether an even coin can have given the numbers of reports that came from each. Where it
 * can't, who reports depends on the arm, and a difference between the arms says nothing about what they do.
 *
 * With one report of each device, the reports of the second arm among n are Binomial(n, 1/2). One look has the exact test, all looks together
 * the exact martingale (estimation/statistics/counts.ts).
 *
 * Where a device may report m times in the selected days, its reports are of one arm, so they are not n coins. Let D be the difference of the
 * reports, and D_j that of the devices' j-th reports, of which there are N_j. D_j is a sum of fresh coins ±1, so E exp(λ D_j - λ² N_j / 2) <= 1
 * (Hoeffding 1963, equation 4.16), also as it grows. The exponential of a mean is at most the mean of the exponentials, so
 *   E exp((λ D - λ² N / 2) / m) <= 1,  N the reports in all.
 * With λ/m for λ, D is as a sum of variance m N: P(|D| >= d) <= 2 exp(-d² / (2 m N)), and the mixture over λ is that of looks.ts. As days pass
 * m grows. At all looks it is rounded up to M = 2^k, and the tests for k = 0, 1, … share the level as 1/((k + 1)(k + 2)), which sum to 1.
 */

import { DAYS, type MetricDocument } from '@murmuration/shared';
import { count, pValueInWords } from '../base/numbers.ts';
import { countEvidence, sampleRatio } from '../estimation/statistics/counts.ts';
import { evidence, type Looks } from '../estimation/statistics/looks.ts';
import type { Evidence } from '../estimation/tally.ts';

/** The check of two arms. */
export interface SampleRatio {
  /** That an even coin gives numbers as far apart; at all looks, at any of them. */
  readonly pValue: number;
  /** True if it does not: the comparison is void. */
  readonly isBroken: boolean;
  readonly verdict: string;
}

/** Below this, something else than the coins decided who reports. */
const BROKEN = 0.001;

/** The most reports of one device in the days of both arms. */
function mostOf({ every }: Pick<MetricDocument, 'every'>, arms: readonly Pick<Evidence, 'from' | 'to'>[]): number {
  const days = arms.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to]));
  return every === 'once' || days.length === 0 ? 1 : Math.ceil((Math.max(...days) - Math.min(...days) + 1) / DAYS[every]);
}

/** The probability that an even coin gives arms as unlike as these, where a device may have reported `most` times. */
export function armsPValue(first: number, second: number, most: number, looks: Looks, planned: number): number {
  const reports = first + second;
  if (reports === 0) return 1;
  if (looks === 'once')
    return most === 1 ? sampleRatio(first, second) : Math.min(1, 2 * Math.exp(-((first - second) ** 2) / (2 * most * reports)));
  const k = Math.ceil(Math.log2(most));
  const z = Math.abs(first - second) / Math.sqrt(2 ** k * reports);
  const against = k === 0 ? countEvidence(second, reports, 0.5, planned) : evidence(z, reports / planned);
  return Math.min(1, (k + 1) * (k + 2) * Math.exp(-against));
}

/** The check of the reports of two arms. */
export function sampleRatioOf(
  document: Pick<MetricDocument, 'every'>,
  [a, b]: readonly [Evidence, Evidence],
  looks: Looks,
  planned: number,
): SampleRatio {
  const pValue = armsPValue(a.reports, b.reports, mostOf(document, [a, b]), looks, planned);
  const isBroken = pValue < BROKEN;
  const [p, reports] = [pValueInWords(pValue), `${count(a.reports)} and ${count(b.reports)} reports`];
  return {
    pValue,
    isBroken,
    verdict: isBroken
      ? `void: an even coin does not give ${reports} (${p}), so who reports depends on the arm`
      : `nothing speaks against an even coin: ${reports} (${p})`,
  };
}
