/**
 * The answers of the read API, as zod schemas. They are checked against the types of what computes the answers, the OpenAPI description is
 * made from them, and tests validate every answer by them.
 */

import { type Cadence, DAYS, type Law } from '@murmuration/shared';
import { z } from 'zod';
import type { AssociationRow, MetricAssociation } from '../../answers/association.ts';
import type { Comparison, Difference } from '../../answers/compare.ts';
import type { MetricEstimates } from '../../answers/estimates.ts';
import type { SampleRatio } from '../../answers/sample-ratio.ts';
import type { Series, SeriesPoint } from '../../answers/series.ts';
import { SIGNS, type Sign } from '../../answers/signs.ts';
import type { MetricSummary } from '../../answers/summary.ts';
import type { RefusalBody } from '../../base/refusal.ts';
import { AMONG } from '../../estimation/estimate.ts';
import { estimations } from '../../estimation/mechanisms/table.ts';
import { types } from '../../estimation/questions.ts';
import type { Looks } from '../../estimation/statistics/looks.ts';
import {
  about,
  always,
  answer,
  count,
  day,
  ends,
  estimate,
  exactly,
  excludedDays,
  interval,
  looks,
  number,
  type Paged,
  page,
  verdict,
  watch,
} from './answer-parts.ts';

const among = z.enum(AMONG);
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
      publish: z.boolean().exactOptional().meta({ description: 'Whether anybody may see it, without a token.' }),
      mechanism: z.enum(Object.keys(estimations) as Law['mechanism'][]),
      epsilon: number,
      range: z
        .tuple([number, number])
        .readonly()
        .exactOptional()
        .meta({ description: 'The least and the greatest answer of a number whose mean is estimated.' }),
      answers: z.array(z.string()).exactOptional().meta({ description: 'The first 32 answers of a list.' }),
      every: z.enum(Object.keys(DAYS).filter((each) => each !== 'never') as Cadence[]),
      permanent: permanence.exactOptional(),
      otherwise: z.string().exactOptional(),
      assign: z.literal('random').exactOptional(),
      reports: count,
      from: day,
      to: day,
      outlook: z.strictObject({ error: number, weeks: count.nullable(), isEnough: z.boolean() }).exactOptional().meta({
        description:
          'When half a 95 % interval is as small as `error`, at the present rate; null: not within ten years. Absent where it is below a point, and for strings and permanent questions. `isEnough`: it is at most 5 points already.',
      }),
      versions: z.array(z.strictObject({ version: count, reports: count, from: z.iso.date(), to: z.iso.date() })).meta({
        description: 'The versions with reports that ask this type of question, oldest first. Those with another law are not in `reports`.',
      }),
      segments: z.record(z.string(), z.array(z.string())),
    })
    .meta({ id: 'Metric' }),
);

const quantile = z.strictObject({ level: number, estimate: number, low: number, high: number, always });

const described = z.strictObject({
  mean: z.strictObject({ ...interval, always }),
  median: quantile,
  quantiles: z.array(quantile),
  ranges: z.array(z.strictObject({ from: number, to: number, ...interval, always })),
});

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
                told: ends.exactOptional().meta({ description: 'Where it lies, of all changes of the series together; of a clear one.' }),
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
const sampleRatio: z.ZodType<SampleRatio> = exactly(
  z.strictObject({
    pValue: number.meta({ description: 'That an even coin gives numbers of reports as far apart; at all looks, at any of them.' }),
    isBroken: z.boolean().meta({ description: 'Whether it does not, so that the comparison is void.' }),
    verdict: z.string(),
  }),
);
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
    sampleRatio: sampleRatio.exactOptional().meta({ description: 'Where the sides are the arms of an experiment.' }),
    verdict: z.string().meta({ description: 'What differs when all is tested together.' }),
    page,
    differences: z.array(z.strictObject({ ...answer, ...compared })),
  }),
);

/** Another metric of the app, between the same two selections. */
export interface Other {
  readonly metric: string;
  readonly description: string;
  readonly state: (typeof STATES)[number];
  /** Where it differs. */
  readonly verdict?: string;
}

/** The other metrics of an app, all of them judged together. */
export interface Others {
  readonly app: string;
  readonly metric: string;
  readonly looks: Looks;
  readonly level: number;
  readonly others: readonly Other[];
}

const STATES = ['differs', 'unclear', 'few', 'void', 'not-asked', 'strings', 'not-compared'] as const;

const others: z.ZodType<Others> = exactly(
  z.strictObject({
    app: z.string(),
    metric: z.string(),
    looks,
    level: number.meta({ description: '5 % over the number of other metrics: the level of all that is said of one.' }),
    others: z.array(
      z.strictObject({
        metric: z.string(),
        description: z.string(),
        state: z.enum(STATES).meta({
          description:
            'differs, with its verdict. unclear: chance alone can explain it. few: too few reports. void: the sample-ratio check failed. not-asked: not on both sides. strings: compared on its own only. not-compared: there was no time; ask again.',
        }),
        verdict: z.string().exactOptional(),
      }),
    ),
  }),
);

/** A question that is published, as anybody may see it: without estimates until a week has enough reports. */
export interface PublicQuestion {
  readonly metric: MetricSummary;
  /** Days with reports that can't be right. They are counted. */
  readonly doubtful: readonly string[];
  readonly estimates?: MetricEstimates & Paged;
  readonly series?: Series & Paged & { readonly points: readonly SeriesPoint[] };
}

const question: z.ZodType<PublicQuestion> = exactly(
  z
    .strictObject({
      metric: summary,
      doubtful: z.array(z.iso.date()).meta({ description: 'Days with reports that can’t have come through the law. They are counted.' }),
      estimates: estimates.exactOptional(),
      series: series.exactOptional(),
    })
    .meta({ description: 'Of whole weeks that are over and have enough reports. Counts and errors have two digits.' }),
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
  readonly [route in
    | 'signs'
    | 'list'
    | 'question'
    | 'estimates'
    | 'series'
    | 'association'
    | 'comparison'
    | 'others'
    | 'refusal']: z.ZodType;
} = {
  signs,
  list,
  question,
  estimates,
  series,
  association,
  comparison,
  others,
  refusal,
};
