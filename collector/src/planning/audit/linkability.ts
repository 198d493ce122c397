/**
 * Linkability: how often the batches of one day are joined, device by device, to those of an earlier day by what they show in clear. That is
 * the segments, the public parts of permanent metrics (cohorts, hash functions, places) and, under `assign: 'random'`, the names of the
 * metrics. ε bounds none of it, because none of it depends on an answer.
 *
 * N devices report on both days, and c is the chance that two of them show the same. The attacker takes the group of earlier batches that
 * show the same as today's, and guesses one of them, each with the same chance. A group has 1 + B devices, B binomial (N - 1, c), so the
 * expected share of right guesses is
 *   L = E[1 / (1 + B)] = Σ_b C(N - 1, b) c^b (1 - c)^(N - 1 - b) / (b + 1)
 *     = Σ_b C(N, b + 1) c^(b + 1) (1 - c)^(N - (b + 1)) / (N c) = (1 - (1 - c)^N) / (N c),
 * by C(N - 1, b) / (b + 1) = C(N, b + 1) / N. Where N c is small it is near 1, where it is large near 1 / (N c), and never below 1 / N. With
 * G kinds of batches, all equally likely, c = 1 / G, and L = G (1 - (1 - 1/G)^N) / N is the expected number of kinds that occur, for each
 * device. So where kinds differ in probability, as sets of metrics do, it is the sum of 1 - (1 - p)^N over the kinds, divided by N.
 *
 * Segments count as equally frequent. Unequal ones link a device of a rare value more often, and others less. Reports of one epoch also
 * resemble each other by the noise of their stored symbol (docs/attacks.md), which only ε∞ bounds. L does not count that.
 */

import { chargesOf, mechanismOf, publicParts, type SchemaDocument } from '@murmuration/shared';
import { askedOf, askedSets } from '../plan/asked.ts';

/** The linkability of a schema's batches. */
export interface Linkability {
  /** N, the number of devices that report on a day. */
  readonly devices: number;
  /** c, the chance that the batches of two devices show the same. */
  readonly chance: number;
  /** L, from 1 / N to 1. */
  readonly linked: number;
  /** Public parts of these batches besides segments and names: the metrics whose reports have a public part that stays. */
  readonly by: readonly string[];
}

/** The number of groups that the segments distinguish. */
export const combinationsOf = ({ segments = {} }: SchemaDocument): number =>
  Object.values(segments).reduce((product, { length }) => product * length, 1);

/** So many kinds of batches, each with the same probability. */
interface Kinds {
  readonly kinds: number;
  readonly probability: number;
}

/** L: the expected number of kinds that occur among N devices, divided by N. The functions keep probabilities far below 2^-53. */
export const linkedShare = (devices: number, all: readonly Kinds[]): number =>
  all.reduce((sum, { kinds, probability }) => sum - (kinds * Math.expm1(devices * Math.log1p(-probability))) / devices, 0);

/** c: the chance that two devices are of the same kind. */
const sharedChance = (all: readonly Kinds[]): number =>
  all.reduce((sum, { kinds, probability }) => sum + kinds * probability * probability, 0);

/** C(n, k), as a product that is a whole number at each step. */
const choose = (n: number, k: number): number => Array.from({ length: k }, (_, i) => i).reduce((c, i) => (c * (n - i)) / (i + 1), 1);

/** The number of values of a metric's public part that stays for an epoch; 1 if there is none. */
const lastingParts = ({ metrics }: SchemaDocument, name: string): number => {
  const metric = metrics[name];
  return metric?.permanent ? publicParts(mechanismOf(metric.law).shape(metric.law)) : 1;
};

/** The kinds of batches that hold all reports of a device; undefined if there are too many sets of metrics to add up. */
function together(document: SchemaDocument): readonly Kinds[] | undefined {
  const { metrics, budget, assign } = document;
  const groups = [...Map.groupBy(chargesOf(metrics, budget.per), ({ metric, charge }) => `${charge} ${lastingParts(document, metric)}`)];
  const sized = groups.map(([, each]) => ({ charge: each[0]?.charge ?? 0, size: each.length }));
  const sets = assign ? askedSets(sized, budget) : [{ counts: sized.map(({ size }) => size), probability: 1 }];
  return sets?.map(({ counts, probability }) => {
    const kinds = groups.reduce((product, [, each], i) => {
      const taken = counts[i] as number;
      return product * choose(each.length, taken) * lastingParts(document, each[0]?.metric ?? '') ** taken;
    }, combinationsOf(document));
    return { kinds, probability: probability / kinds };
  });
}

/**
 * The linkability of a schema: of a batch with all reports of a device or, where reports are sent alone, of the metric whose reports are
 * linked most often. Where sets of metrics are too many to add up, L is 1, an upper bound.
 */
export function linkabilityOf(document: SchemaDocument, devices: number = document.devices): Linkability {
  const names = Object.keys(document.metrics);
  if (document.reports === 'together') {
    const all = together(document);
    const by = names.filter((name) => lastingParts(document, name) > 1);
    return { devices, chance: sharedChance(all ?? []), linked: all ? linkedShare(devices, all) : 1, by };
  }
  const { shares } = askedOf(document);
  const none: Linkability = { devices, chance: 1, linked: 1 / devices, by: [] };
  return names.reduce((most, name) => {
    const parts = lastingParts(document, name);
    // Another device shows the same if it is asked the metric and its report is of the same kind. A share is 0 if the charge exceeds the budget.
    const chance = (shares.get(name) as number) / (combinationsOf(document) * parts);
    const linked = chance > 0 ? linkedShare(devices, [{ kinds: 1 / chance, probability: chance }]) : 0;
    return linked > most.linked ? { devices, chance, linked, by: parts > 1 ? [name] : [] } : most;
  }, none);
}
