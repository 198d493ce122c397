/** The law that a metric would have at another ε, derived in the same way as its own law. */

import {
  canonicalJson,
  cellsOf,
  countLaw,
  distributionLaw,
  isDistributionLaw,
  isNumberLaw,
  type Json,
  type Law,
  listLaw,
  longListLaw,
  type MetricDocument,
  meanLaw,
  oneBitLaw,
  permanentListLaw,
} from '@murmuration/shared';
import type { LawAt, Origin } from '../../estimation/estimation.ts';
import { estimationOf } from '../../estimation/mechanisms/table.ts';

/**
 * The laws of the automatic choice, when no mechanism is named. A document does not say whether `longList()` was used, so lists are tried
 * with it and without.
 */
function chosen(law: Law, { metric, permanent }: Origin): readonly LawAt[] {
  if (isNumberLaw(law)) {
    if (permanent !== undefined) return [(e) => oneBitLaw(e, permanent)];
    return ['max' in metric ? (e) => countLaw(metric.max, e) : meanLaw];
  }
  if (isDistributionLaw(law)) return [(e) => distributionLaw(cellsOf(law), e)];
  if (!('size' in law)) return [];
  const { size } = law;
  return permanent === undefined ? [(e) => longListLaw(size, e), (e) => listLaw(size, e)] : [(e) => permanentListLaw(size, e, permanent)];
}

/** Undefined when no 32-bit law exists. */
function lawOf(way: LawAt, epsilon: number): Law | undefined {
  try {
    return way(epsilon);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Maps ε to the law of a metric. The law is undefined when no 32-bit law exists. There is no map when the metric's law came from an
 * expert's parameters, which define no other ε.
 */
export function lawsAt(metric: MetricDocument, devices: number): (epsilon: number) => Law | undefined {
  const { law, epsilon } = metric;
  const own = canonicalJson(law as unknown as Json);
  const isOwn = (way: LawAt): boolean => {
    const found = lawOf(way, epsilon);
    return found !== undefined && canonicalJson(found as unknown as Json) === own;
  };
  const origin = { metric, permanent: metric.permanent?.epsilon, devices };
  const way = [...chosen(law, origin), ...estimationOf(law).named(law, origin)].find(isOwn);
  return (at) => way && lawOf(way, at);
}
