/** The part that every answer has: its metric, the reports that it rests on, and the basis of their error bars. */

import { DAYS, dayText, type MetricDocument } from '@murmuration/shared';
import { type Among, peopleIn } from '../estimation/estimate.ts';
import type { Evidence } from '../estimation/tally.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';

/** A metric, and the reports that are counted. */
export interface About {
  readonly app: string;
  readonly metric: string;
  readonly version: number;
  readonly type: string;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  /** Estimates from fewer reports than this are not shown. That is for readability: two answers subtracted give one device's report. */
  readonly minimum: number;
}

/** Origin of an answer, as far as it is stated. */
interface Source {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document'>;
  readonly evidence: Evidence;
  readonly minimum: number;
}

const dayOrNull = (day: number | null): string | null => (day === null ? null : dayText(day));

/** The part that all answers have in common. */
export function aboutOf({ metric: published, evidence, minimum }: Source): About {
  const { app, metric, version, document } = published;
  const { type, law, epsilon } = document;
  const { reports, from, to } = evidence;
  const { mechanism } = law;
  return { app, metric, version, type, mechanism, epsilon, reports, from: dayOrNull(from), to: dayOrNull(to), minimum };
}

// The basis of the error bars of a metric's reports: how many reports share a symbol, and how many people there are.

/**
 * The most reports of one device within this many days that repeat one symbol. Reports of a permanent metric are at least `every` days
 * apart. The first report after `renew` days begins a new epoch with fresh coins. So an epoch has at most ceil(renew / every) reports.
 */
export function repeatsIn(days: number, { every, permanent }: Pick<MetricDocument, 'every' | 'permanent'>): number {
  return permanent === undefined || every === 'once' ? 1 : Math.ceil(Math.min(days, DAYS[permanent.renew]) / DAYS[every]);
}

/** Basis of the error bars of some evidence. */
export interface Basis {
  /** The most reports of one device that repeat one symbol. */
  readonly perDevice: number;
  /** How many people were drawn from the population. */
  readonly people: number;
}

/** The basis of some evidence. Reports of different slots come from the same people, whether or not each slot has fresh coins. */
export function basisOf(
  document: Pick<MetricDocument, 'every' | 'permanent'>,
  { reports, from, to }: Pick<Evidence, 'reports' | 'from' | 'to'>,
  among: Among,
): Basis {
  const days = from === null || to === null ? 0 : to - from + 1;
  const { every } = document;
  return {
    perDevice: repeatsIn(days, document),
    people: peopleIn(among, reports, every === 'once' ? 1 : Math.max(1, Math.ceil(days / DAYS[every]))),
  };
}
