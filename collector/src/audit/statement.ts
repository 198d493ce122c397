/** The privacy statement in plain English, from a schema's descriptions, owners and expiry days and its exact ε. */

import {
  type About,
  bucketLabels,
  type Cadence,
  isListPart,
  lnUp,
  type MetricDocument,
  PERIOD_DAYS,
  type Ratio,
  type SchemaDocument,
} from '@murmuration/shared';
import { shortfallOf } from './shortfall.ts';
import type { MetricSpending, Spending } from './spending.ts';

const TEXT = 'any text, of which only randomized bits of a hash leave the device';
const SHOWN = 6; // so many answers are listed

/** e^ε, rounded up to a tenth, to a whole number where that is long, and to a power of ten where that is too. */
export function factor({ numerator, denominator }: Ratio): string {
  const tenths = (10n * numerator + denominator - 1n) / denominator;
  if (tenths > 10n ** 13n) return `10^${`${tenths}`.length - 1}`;
  return tenths < 1000n ? `${tenths / 10n}.${tenths % 10n}` : ((tenths + 9n) / 10n).toLocaleString('en');
}

/** ε as people read it, rounded up. */
const short = (odds: Ratio): string => lnUp(odds, 3);

const often = (every: Cadence): string =>
  every === 'once' ? 'once' : every === 'day' ? 'at most once a day' : `at most once in ${PERIOD_DAYS[every]} days`;

const listed = (answers: readonly string[]): string =>
  answers.length <= SHOWN ? answers.join(', ') : `one of a list of ${answers.length}`;

function answers(metric: MetricDocument): string {
  switch (metric.type) {
    case 'flag':
      return 'yes or no';
    case 'choice':
      return listed(metric.answers);
    case 'choices':
      return `up to ${metric.atMost} of these, drawn at random where there are more: ${listed(metric.answers)}`;
    case 'best':
      return `one of the options ${listed(metric.options)}, drawn at random, the likelier the better it suits which of ${metric.inputs.length} kinds holds; nineteen times in twenty its score is at most ${shortfallOf(metric, 0.05)} below the best`;
    case 'joint':
      return metric.questions
        .map((part) => `${part.name} (${isListPart(part) ? `one of ${part.answers.length}` : TEXT})`)
        .join(' together with ');
    case 'histogram':
      return `the range in which a number lies: ${listed(bucketLabels(metric.edges))}`;
    case 'count':
      return `a count from 0 to ${metric.max}, of which only the mean over all devices can be estimated`;
    case 'distribution':
      return `a number from ${metric.range[0]} to ${metric.range[1]}, in one of ${metric.cells} parts of that range`;
    case 'mean':
      return `a number from ${metric.range[0]} to ${metric.range[1]}, of which only the mean over all devices can be estimated`;
    case 'text':
      return TEXT;
  }
}

function bound({ report, epoch }: MetricSpending, { permanent }: MetricDocument): string {
  const one = `One report changes the odds of any answer against any other by a factor of ${factor(report.odds)} at most (ε ${short(report.odds)}).`;
  if (epoch === undefined || permanent === undefined) return one;
  const span = permanent.renew === 'never' ? 'ever' : `in one ${permanent.renew}`;
  return `${one} The first answer is randomized once and kept; later reports only repeat it, randomized again. All reports ${span} together: ${factor(epoch.odds)} at most (ε ${short(epoch.odds)}).`;
}

function question(spending: MetricSpending, metric: MetricDocument, { description, owner, expires }: About): string {
  return [
    `- ${description} (${spending.metric})`,
    `  Asked ${often(metric.every)}. Answers: ${answers(metric)}.`,
    `  ${bound(spending, metric)}`,
    `  ${owner === undefined ? 'Nobody is named as its owner.' : `Asked by: ${owner}.`} ${expires === undefined ? 'No day is set on which it ends.' : `Needed until ${expires}.`}`,
  ].join('\n');
}

/** The statement: paragraphs, and a list of the questions. */
export function statementOf({ app, version, budget, segments = {}, metrics, about }: SchemaDocument, spending: Spending): string {
  const clear = Object.entries(segments).map(([name, values]) => `${name} (${values.join(', ')})`);
  return [
    `What ${app} asks, and what its reports give away (version ${version})`,
    'Every answer is changed at random on the device before it is stored or sent. The collector gets no true answer; from many random ones it estimates how many devices gave each.',
    spending.metrics.map((row) => question(row, metrics[row.metric] as MetricDocument, about[row.metric] as About)).join('\n'),
    `Everything that one installation sends about any ${PERIOD_DAYS[budget.per]} consecutive days changes the odds between any two sets of answers by a factor of ${factor(spending.window.odds)} at most (ε ${short(spending.window.odds)}, of a budget of ${budget.epsilon}).`,
    `Sent as it is: the day on which an answer was recorded${clear.length > 0 ? `, and ${clear.join(', ')}` : ''}. Nothing that is sent names the person or the device.`,
    'Not covered: that an installation reports at all; several installations of one person, each of which has this budget for itself.',
  ].join('\n\n');
}
