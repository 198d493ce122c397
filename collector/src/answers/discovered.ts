/** The strings that a series, a comparison or an export of a metric is about, where the metric discovers them. */

import { isPrefixLaw } from '@murmuration/shared';
import { discover } from '../decoding/discovery/discover.ts';
import type { EstimateRequest } from './estimates.ts';

/** The candidates; where strings are discovered and there are no candidates, those that are found. */
export function wantedIn({ metric, evidence, minimum, candidates }: EstimateRequest): readonly string[] {
  const { law } = metric.document;
  if (candidates.length > 0 || !isPrefixLaw(law) || evidence.reports < minimum) return candidates;
  return discover(law, evidence.tallies).strings.map(({ text }) => text);
}
