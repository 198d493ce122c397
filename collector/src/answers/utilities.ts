/**
 * The options of `best` by their mean utility over all users. A report names an option, but more often one that is good for its sender than
 * the best one. So the options' shares among the reports say little. What is estimated is the share of each input, and with the question's table
 * the utility that each option would have if everybody got it.
 */

import type { MetricDocument } from '@murmuration/shared';
import type { Estimate, EstimateInput } from '../estimation/estimate.ts';
import { meanOfInputs } from '../estimation/mechanisms/exponential.ts';
import { inUnit } from './distribution.ts';

/** An option with its mean utility. */
export interface OptionUtility extends Estimate {
  readonly option: string;
}

/** The mean utility of each option, largest first; undefined for other metrics. */
export function optionsOf(document: MetricDocument, input: EstimateInput): readonly OptionUtility[] | undefined {
  const { type, law } = document;
  if (type !== 'best' || law.mechanism !== 'exponential') return undefined;
  const { options, utility } = document;
  const found = options.flatMap((option, o) => {
    const utilities = utility.map((row) => row[o] as number);
    const [least, most] = [Math.min(...utilities), Math.max(...utilities)];
    const places = utilities.map((each) => (most > least ? (each - least) / (most - least) : 0));
    return meanOfInputs(law, places, input).map((mean) => ({ option, ...inUnit(mean, [least, most]) }));
  });
  return found.sort((a, b) => b.estimate - a.estimate);
}
