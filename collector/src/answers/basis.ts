/** What the error bars of a metric's reports rest on: how many reports share a symbol, and how many people there are. */

import { DAYS, type MetricDocument } from '@murmuration/shared';
import { type Among, peopleIn } from '../estimation/estimate.ts';
import type { Evidence } from '../estimation/tally.ts';

/**
 * The most reports of one device within this many days that repeat one symbol. Reports of a permanent metric are at least `every` days
 * apart. The first report after `renew` days begins a new epoch with fresh coins. So an epoch has at most ceil(renew / every) reports.
 */
export function repeatsIn(days: number, { every, permanent }: Pick<MetricDocument, 'every' | 'permanent'>): number {
  return permanent === undefined || every === 'once' ? 1 : Math.ceil(Math.min(days, DAYS[permanent.renew]) / DAYS[every]);
}

/** What the error bars of some evidence rest on. */
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
