/**
 * When a question will have enough reports. A question has too few as long as half of the 95 % interval of a share of one half is above 5
 * points, and is as exact as most people want at 1 point; of a number, the error of its mean relative to its range.
 *
 * With n reports and up to T of one device, that half is z √((V + T / 4) / n): V is the noise of one report, and 1/4 the largest spread of
 * people, as in `basisOf`. In w weeks at the present rate r there are n + 7 w r reports, and T grows with the days. Strings and permanent
 * questions have none: collisions and the stored answer bound their errors, however many reports come.
 */

import { DAYS, isDistributionLaw, isNumberLaw, type MetricDocument } from '@murmuration/shared';
import { standardErrorAt } from '../estimation/precision.ts';
import { Z95 } from '../estimation/statistics/tails.ts';

/** The errors that are worth waiting for: below the first a question has enough reports. */
const ENOUGH = 0.05;
const EXACT = 0.01;

/** When the next error is reached. */
export interface Outlook {
  /** Half a 95 % interval. */
  readonly error: number;
  /** Weeks until then at the present rate; null where ten years are not enough, or no reports have come for long. */
  readonly weeks: number | null;
  /** False as long as there are too few reports to say much. */
  readonly isEnough: boolean;
}

/** Reports of a metric, and the last day with reports of its app. Days are numbers. */
export interface Counted {
  readonly reports: number;
  readonly from: number;
  readonly to: number;
  readonly last: number;
}

const MOST_WEEKS = 520;

/** Days without reports after which there is no rate. */
const SILENT = 14;

const noises = new WeakMap<MetricDocument, number>();

/** The variance of the noise of one report. */
function noiseOf(document: MetricDocument): number {
  const known = noises.get(document);
  if (known !== undefined) return known;
  const noise = standardErrorAt(document.law, 1, 0.5, 'reports') ** 2;
  noises.set(document, noise);
  return noise;
}

/** Undefined for a question that is exact already, or whose errors do not follow from the number of reports. */
export function outlookOf(document: MetricDocument, { reports, from, to, last }: Counted): Outlook | undefined {
  const { law, every, permanent } = document;
  if (reports === 0 || permanent || !('size' in law || isNumberLaw(law) || isDistributionLaw(law))) return undefined;
  const noise = noiseOf(document);
  const marginAt = (count: number, days: number): number => {
    const perPerson = every === 'once' ? 1 : Math.max(1, Math.ceil(days / DAYS[every]));
    return Z95 * Math.sqrt((noise + perPerson / 4) / count);
  };
  const days = last - from + 1;
  const now = marginAt(reports, to - from + 1);
  if (now <= EXACT) return undefined;
  const isEnough = now <= ENOUGH;
  const error = isEnough ? EXACT : ENOUGH;
  const rate = reports / days;
  let weeks: number | null = null;
  for (let week = 1; week <= MOST_WEEKS && weeks === null && last - to <= Math.max(SILENT, Math.min(DAYS[every], 30)); week++)
    if (marginAt(reports + 7 * week * rate, days + 7 * week) <= error) weeks = week;
  return { error, weeks, isEnough };
}
