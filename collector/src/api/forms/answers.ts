/**
 * The answers of the read API, as zod schemas. They are checked against the types of what computes the answers, the OpenAPI description is
 * made from them, and tests validate every answer by them.
 */

import { type Cadence, DAYS, type Law } from '@murmuration/shared';
import { z } from 'zod';
import type { AssociationRow, MetricAssociation } from '../../answers/association.ts';
import type { Comparison, Difference } from '../../answers/compare.ts';
import type { DecodedString, MetricStrings } from '../../answers/decoded-strings.ts';
import type { AnswerEstimate, ExcludedDays, MetricEstimates } from '../../answers/estimates.ts';
import type { PageInfo } from '../../answers/packed-answer.ts';
import type { Series, SeriesPoint } from '../../answers/series.ts';
import { SIGNS, type Sign } from '../../answers/signs.ts';
import type { MetricSummary } from '../../answers/summary.ts';
import type { Verdict } from '../../answers/verdict.ts';
import type { RefusalBody } from '../../base/refusal.ts';
import { AMONG, type Estimate, type Interval } from '../../estimation/estimate.ts';
import { estimations } from '../../estimation/mechanisms/table.ts';
import { types } from '../../estimation/questions.ts';
import { LOOKS } from '../../estimation/statistics/looks.ts';
import type { Watch } from '../../estimation/watch/watch.ts';
import { exactly } from './exactly.ts';

/** An answer whose rows come in pages. */
export interface Paged {
  readonly page: PageInfo;
}

const count: z.ZodInt = z.int().min(0);
const day = z.iso.date().nullable().meta({ description: 'A day in UTC; null without reports.' });
const excludedDays: z.ZodType<readonly ExcludedDays[]> = exactly(
  z
    .array(z.strictObject({ from: z.iso.date(), to: z.iso.date(), reports: count }))
    .meta({ description: 'Days that the question leaves out, with their reports. A day that is kept as a month takes its month with it.' }),
);
const number: z.ZodNumber = z.number();

const interval: { readonly [field in keyof Estimate]: z.ZodNumber } = {
  estimate: number.meta({ description: 'Unbiased, so it may lie below 0 or above 1.' }),
  standardError: number.min(0),
  low: number.meta({ description: 'The low end of the 95 % interval, which holds for one answer at one look.' }),
  high: number.meta({ description: 'The high end of that interval.' }),
};
const ends: z.ZodType<Interval> = exactly(z.strictObject({ low: number, high: number }).meta({ id: 'Interval' }));
const always = ends.exactOptional().meta({ description: 'The 95 % interval that holds at every look. Present where verdicts do.' });
const estimate: z.ZodType<Estimate> = exactly(z.strictObject(interval).meta({ id: 'Estimate' }));

const plain = z.union([z.string(), z.boolean()]);
const answer: { readonly answer: z.ZodType<AnswerEstimate['answer']>; readonly label: z.ZodString } = {
  answer: z.union([plain, z.record(z.string(), plain)]).meta({ description: 'The answer; of a joint question, one to each part.' }),
  label: z.string(),
};

const page: z.ZodType<PageInfo> = exactly(
  z
    .strictObject({ total: count.meta({ description: 'How many rows there are in all.' }), offset: count, limit: count })
    .meta({ id: 'Page' }),
);

const among = z.enum(AMONG);
const about: { readonly [field in 'app' | 'metric' | 'type']: z.ZodString } & { readonly version: z.ZodInt } = {
  app: z.string(),
  metric: z.string(),
  version: count,
  type: z.string(),
};
const value = z.literal('value').exactOptional().meta({ description: 'Numbers in the unit of the metric; absent where they are shares.' });

const permanence = z.strictObject({ epsilon: number, renew: z.enum(['week', 'month', 'year', 'never']) });

const summary: z.ZodType<MetricSummary> = exactly(
  z
    .strictObject({
      ...about,
      type: z.enum(types),
      description: z.string(),
      unit: z.string().exactOptional(),
      owner: z.string().exactOptional(),
      expires: z.string().exactOptional(),
      mechanism: z.enum(Object.keys(estimations) as Law['mechanism'][]),
      epsilon: number,
      range: z
        .tuple([number, number])
        .readonly()
        .exactOptional()
        .meta({ description: 'The least and the greatest answer of a number whose mean is estimated.' }),
      every: z.enum(Object.keys(DAYS).filter((each) => each !== 'never') as Cadence[]),
      permanent: permanence.exactOptional(),
      otherwise: z.string().exactOptional(),
      assign: z.literal('random').exactOptional(),
      reports: count,
      from: day,
      to: day,
      segments: z.record(z.string(), z.array(z.string())),
    })
    .meta({ id: 'Metric' }),
);

const watch: z.ZodType<Watch> = exactly(
  z.strictObject({
    pValue: number,
    cells: number.exactOptional(),
    fit: number.exactOptional(),
    answers: number.exactOptional(),
    cohorts: number.exactOptional(),
    ones: number.exactOptional(),
    perPercent: number.exactOptional(),
  }),
);

const quantile = z.strictObject({ level: number, estimate: number, low: number, high: number, always });

const described = z.strictObject({
  mean: z.strictObject({ ...interval, always }),
  median: quantile,
  quantiles: z.array(quantile),
  ranges: z.array(z.strictObject({ from: number, to: number, ...interval, always })),
});

const looks = z.enum(LOOKS).meta({ description: 'Whether it holds at every look, or at a single one.' });

const verdict: z.ZodType<Verdict> = exactly(
  z
    .strictObject({
      kind: z.enum(['share', 'mean', 'median', 'lead', 'close', 'noise', 'none']).meta({
        description:
          'share: of a flag’s yes. mean, median: of numbers. lead: the first answer is the most frequent one. close: the first answer and those that can’t be told from it. noise: no answer is told from 0. none: no verdict, for the reason.',
      }),
      looks: looks.exactOptional(),
      answers: z.array(z.string()).readonly().meta({ description: 'The labels of the answers that it names, largest first.' }),
      interval: ends.exactOptional().meta({ description: 'Of the first answer, or of the number.' }),
      reason: z.string().exactOptional(),
    })
    .meta({ id: 'Verdict', description: 'What may be said about the answers as a whole. It is wrong at most 1 time in 20.' }),
);

const settings = {
  among,
  minimum: count.meta({ description: 'Estimates from fewer reports are not shown, for readability. It hides nothing.' }),
};

/** Members of an answer about its reports. */
const ofReports = {
  ...about,
  mechanism: z.string(),
  epsilon: number,
  ...settings,
  reports: count,
  from: day,
  to: day,
  excluded: excludedDays.exactOptional(),
};

const biased = (what: string) => number.exactOptional().meta({ description: `${what} Biased, and without an error or an interval.` });

const estimates: z.ZodType<MetricEstimates & Paged> = exactly(
  z.strictObject({
    ...ofReports,
    unit: value,
    verdict: verdict.exactOptional(),
    watch,
    distribution: described.exactOptional(),
    options: z
      .array(z.strictObject({ option: z.string(), ...interval }))
      .readonly()
      .exactOptional()
      .meta({ description: 'Of `best`, whose answers are its inputs: the mean utility of each option over all inputs, largest first.' }),
    impossible: z
      .strictObject({
        labels: z.array(z.string()),
        pValue: number.meta({ description: 'The probability of this by chance. Where it is small, the reports can’t be right.' }),
      })
      .exactOptional()
      .meta({ description: 'Answers whose whole interval lies outside 0 to 1, or outside the range of a number.' }),
    page,
    answers: z.array(
      z.strictObject({
        ...answer,
        ...interval,
        always,
        together: ends
          .exactOptional()
          .meta({ description: 'The interval that holds for all answers together, 95 % of the time. Only with together=true.' }),
        orLater: z
          .strictObject(interval)
          .exactOptional()
          .meta({ description: 'The share of this answer and all later ones of the list. Only with orLater=true.' }),
        normSub: biased('The nearest shares that are not negative and sum to 1.'),
        shrunk: biased('The share by empirical Bayes, closer to the truth on long lists.'),
        smoothed: number
          .exactOptional()
          .meta({ description: 'The share to draw: as smooth as the reports ask; all of them sum to 1. Biased.' }),
        smoothedLow: number
          .exactOptional()
          .meta({ description: 'The band of `smoothed`: it holds 95 % of the cells, on average over them.' }),
        smoothedHigh: number.exactOptional(),
        truth: number.exactOptional(),
      }),
    ),
  }),
);

const series: z.ZodType<Series & Paged & { readonly points: readonly SeriesPoint[] }> = exactly(
  z.strictObject({
    ...about,
    ...settings,
    reports: count,
    excluded: excludedDays.exactOptional(),
    unit: value,
    page,
    points: z.array(
      z.strictObject({
        from: z.iso.date(),
        to: z.iso.date(),
        reports: count,
        answers: z.array(
          z.strictObject({
            ...answer,
            ...interval,
            change: z
              .strictObject({
                ...interval,
                isClear: z
                  .boolean()
                  .exactOptional()
                  .meta({ description: 'Whether it is told from 0, when all changes of the series are tested together.' }),
              })
              .nullable()
              .meta({ description: 'Since the last point with estimates.' }),
          }),
        ),
      }),
    ),
  }),
);

const associated = z.strictObject({
  ...answer,
  ...interval,
  within: estimate
    .exactOptional()
    .meta({ description: 'The devices with this answer, among those with the string, or with any that is found.' }),
});

const association: z.ZodType<MetricAssociation & Paged & { readonly strings: readonly AssociationRow[] }> = exactly(
  z.strictObject({
    ...ofReports,
    text: z.string().meta({ description: 'The name of the text among the parts of the question.' }),
    lists: z.array(z.string()),
    independence: number.nullable().meta({ description: 'The p-value of independence; null where no string is clear enough to test it.' }),
    verdict: z.string(),
    found: z
      .strictObject({ ...interval, answers: z.array(associated) })
      .nullable()
      .meta({ description: 'All strings that are found, together.' }),
    page,
    strings: z.array(
      z.strictObject({
        string: z.string(),
        ...interval,
        pValue: number.meta({ description: 'Of the hypothesis that nobody gave the string.' }),
        isFound: z.boolean().meta({ description: 'Whether the string is there: 5 % of those found are expected to be absent.' }),
        answers: z.array(associated),
      }),
    ),
  }),
);

const compared = {
  a: estimate,
  b: estimate,
  difference: estimate.meta({ description: 'b minus a.' }),
  always,
  isClear: z.boolean().meta({ description: 'Whether it is told from 0 when all that the comparison says is tested together.' }),
  verdict: z.string(),
};
const side = z.strictObject({ version: count, reports: count, from: day, to: day, excluded: excludedDays.exactOptional() });

const comparison: z.ZodType<Comparison & Paged & { readonly differences: readonly Difference[] }> = exactly(
  z.strictObject({
    app: z.string(),
    metric: z.string(),
    type: z.string(),
    subject: z.string().meta({ description: 'The question in words.' }),
    measure: z.string().exactOptional().meta({ description: 'The word for the unit of numbers, if the schema has one.' }),
    ...settings,
    a: side,
    b: side,
    unit: value,
    mean: z.strictObject(compared).exactOptional(),
    median: z.strictObject(compared).exactOptional(),
    looks: looks.exactOptional(),
    verdict: z.string().meta({ description: 'What differs when all is tested together.' }),
    page,
    differences: z.array(z.strictObject({ ...answer, ...compared })),
  }),
);

const list: z.ZodType<Paged & { readonly metrics: readonly MetricSummary[] }> = exactly(
  z.strictObject({ page, metrics: z.array(summary) }),
);

/** Only a refused batch tells a device to stop. */
const refusal: z.ZodType<Omit<RefusalBody, 'stop'>> = exactly(
  z
    .strictObject({ error: z.string(), expected: z.string(), got: z.string() })
    .meta({ id: 'Refusal', description: 'What was expected, and what came.' }),
);

const signs: z.ZodType<{ readonly signs: readonly Sign[] }> = exactly(
  z.strictObject({
    signs: z.array(
      z
        .strictObject({
          app: z.string(),
          metric: z.string(),
          kind: z.enum(SIGNS).meta({
            description:
              'law: reports that can’t have come through the law. silence: a tenth of the usual reports or fewer. value, rate: a jump with a version.',
          }),
          day: z.iso.date(),
          segments: z.array(z.string()).meta({ description: 'The values of segments that show it on their own, such as platform=ios.' }),
          reports: count,
          pValue: number.meta({ description: 'After all looks.' }),
          level: number.meta({ description: 'The p-value that is shown at most: 1 % over the tests of the app in a month.' }),
          evidence: z.string(),
        })
        .meta({ id: 'Sign' }),
    ),
  }),
);

/** The answers by route. */
export const answers: {
  readonly [route in 'signs' | 'list' | 'estimates' | 'series' | 'association' | 'comparison' | 'refusal']: z.ZodType;
} = {
  signs,
  list,
  estimates,
  series,
  association,
  comparison,
  refusal,
};

// The answer of a decode, as a zod schema.

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
    verdict: verdict.exactOptional().meta({ description: 'On the found strings. Which strings are found is tested for one look.' }),
    watch,
    page,
    strings: z.array(found).meta({ description: 'The found strings by descending share; with all=true the others follow.' }),
  })
  .meta({ description: 'Two answers to two questions: strings says which are there, distribution what the whole looks like.' });
