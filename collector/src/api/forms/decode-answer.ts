/** The answer of a decode, as a zod schema. */

import { z } from 'zod';
import type { DecodedString, MetricStrings } from '../../answers/decoded-strings.ts';
import { about, answer, count, day, estimate, excludedDays, interval, number, type Paged, page, verdict, watch } from './answer-parts.ts';

const share = number.min(0).max(1);

const distribution = z
  .strictObject({
    shares: z.array(z.strictObject({ ...answer, share })).meta({
      description: 'The largest shares. Each is drawn towards what is typical, and says nothing about whether its string is there.',
    }),
    rest: share.meta({ description: 'The share of all other candidates together.' }),
    other: share.meta({ description: 'What these shares leave over: strings that are no candidates, and whatever is too rare to place.' }),
  })
  .meta({
    description:
      'What the whole distribution looks like. It adds up to 1, has no intervals, and leaves over more the less the reports say.',
  });

const found = z.strictObject({
  ...answer,
  isFound: z
    .boolean()
    .meta({ description: 'Whether it is told apart from chance. Only then do the other numbers say something about it.' }),
  ...interval,
  estimate: number.meta({ description: 'Unbiased before the choice of what is found, so it may be negative.' }),
  low: share.meta({ description: 'The low end of the 95 % interval, which allows for the choice of what is found.' }),
  high: share.meta({ description: 'The high end.' }),
  typical: share.meta({ description: 'As likely too large as too small, given that the string is found. It lies within the interval.' }),
  pValue: share.meta({
    description:
      'The probability that a string that nobody has looks as strong. For discover, a bound on the probability that any of all possible strings does.',
  }),
  qValue: share.meta({ description: 'The least false discovery rate at which it is found; 1 if it is at none.' }),
  isCut: z.literal(true).exactOptional().meta({ description: 'Set where the string may go on, because no more bytes of it are sent.' }),
  truth: number.exactOptional(),
});

export const decodeAnswer: z.ZodType<MetricStrings & Paged & { readonly strings: readonly DecodedString[] }> = z
  .strictObject({
    ...about,
    mechanism: z.string(),
    epsilon: number,
    minimum: count,
    reports: count,
    from: day,
    to: day,
    excluded: excludedDays.exactOptional(),
    fdr: share,
    candidates: count.meta({ description: 'How many strings are listed; for discover, those that are wanted in any case.' }),
    found: count.meta({ description: 'How many strings are told apart from chance.' }),
    outcome: z.enum(['decoded', 'overloaded', 'not-enough-data', 'too-few-reports', 'no-candidates']),
    meaning: z.string().meta({ description: 'The outcome in plain words.' }),
    indistinguishable: count.meta({ description: 'Candidates that no report tells from another one. They are never found.' }),
    unexplained: estimate
      .exactOptional()
      .meta({ description: 'The share of the reports that come from none of the found strings. Absent where nothing can be said.' }),
    detectable: share.exactOptional().meta({ description: 'A string with this share of the reports is found half of the time.' }),
    distribution: distribution.exactOptional(),
    verdict: verdict.exactOptional().meta({
      description:
        'On the found strings, among all that are listed. Absent where all of them may be 0 at its level. Which strings are found is tested for one look.',
    }),
    watch,
    page,
    strings: z.array(found).meta({ description: 'The found strings by descending share; with all=true the others follow.' }),
  })
  .meta({ description: 'Two answers to two questions: strings says which are there, distribution what the whole looks like.' });
