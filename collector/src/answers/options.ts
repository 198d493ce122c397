/**
 * The options of `best` by their mean utility over all users. A report names an option, but more often one that is good for its sender than the
 * best one, so the options' shares among the reports say little. What is estimated is the share of each input, and with the question's table
 * the utility u that each option would have if everybody got it. The difference of two options o and o' is the mean of a number of the inputs,
 * too: of u(i, o) - u(i, o') for input i.
 *
 * The option with the largest estimate is called the best if its difference to each of the other K - 1 has an interval above 0, each interval at
 * 5 % / (K - 1). For a false call there is another option b with a mean that is no smaller, and one of these K - 1 intervals errs to one side:
 * that of b against an option that is called best in its place, or of two that tie. So its probability is at most K / (2 (K - 1)) times 5 %.
 */

import type { MetricDocument } from '@murmuration/shared';
import type { Estimate, EstimateInput } from '../estimation/estimate.ts';
import { meanOfInputs } from '../estimation/mechanisms/exponential.ts';
import { intervalOf, type Judging } from '../estimation/sequences.ts';
import { LEVEL } from '../estimation/statistics/looks.ts';
import { inUnit } from './distribution.ts';
import type { Verdict } from './verdict.ts';

/** An option with its mean utility. */
export interface OptionUtility extends Estimate {
  readonly option: string;
}

/** The mean of a number of each input over all users. Empty without reports. */
function meanOf({ law }: MetricDocument, numbers: readonly number[], input: EstimateInput): readonly Estimate[] {
  if (law.mechanism !== 'exponential') return [];
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const places = numbers.map((each) => (most > least ? (each - least) / (most - least) : 0));
  return meanOfInputs(law, places, input).map((mean) => inUnit(mean, [least, most]));
}

/** The options, the one with the largest mean utility first; undefined for other metrics. */
export function optionsOf(document: MetricDocument, input: EstimateInput): readonly OptionUtility[] | undefined {
  if (document.type !== 'best') return undefined;
  const { options, utility } = document;
  const numbersOf = (o: number): readonly number[] => utility.map((row) => row[o] as number);
  const found = options.flatMap((option, o) => meanOf(document, numbersOf(o), input).map((mean) => ({ option, ...mean })));
  return found.sort((a, b) => b.estimate - a.estimate);
}

/** The verdict on the option with the largest mean utility; undefined for other metrics, and without reports. */
export function bestOf(
  document: MetricDocument,
  found: readonly OptionUtility[],
  input: EstimateInput,
  reports: number,
  judging: Judging,
): Verdict | undefined {
  const [first, ...others] = found;
  if (document.type !== 'best' || first === undefined) return undefined;
  const { options, utility } = document;
  const differencesTo = (option: string): readonly number[] => {
    const [one, other] = [options.indexOf(first.option), options.indexOf(option)];
    return utility.map((row) => (row[one] as number) - (row[other] as number));
  };
  const level = LEVEL / Math.max(1, others.length);
  const isRival = ({ option }: OptionUtility): boolean =>
    meanOf(document, differencesTo(option), input).some((estimate) => !(intervalOf({ estimate, reports }, { ...judging, level }).low > 0));
  const rivals = others.filter(isRival);
  return {
    kind: rivals.length === 0 ? 'best' : 'tied',
    looks: judging.looks,
    answers: [first, ...rivals].map(({ option }) => option),
    interval: intervalOf({ estimate: first, reports }, { ...judging, level: LEVEL / found.length }),
  };
}
