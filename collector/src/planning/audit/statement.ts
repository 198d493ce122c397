/** The privacy statement in plain English, generated from a schema's descriptions, owners, expiry days and exact ε. */

import { type About, type Cadence, type MetricDocument, PERIOD_DAYS, type Ratio, ratio, type SchemaDocument } from '@murmuration/shared';
import { presentationOf } from '../../estimation/questions.ts';
import { otherwiseInWords } from '../../schemas/compare.ts';
import { percent, posteriorOf } from './posterior.ts';
import { type MetricSpending, type Spending, upTo3 } from './spending.ts';

/** e^ε, rounded up: to a tenth, for larger values to a whole number, and for very large ones to a power of ten. */
export function factor({ numerator, denominator }: Ratio): string {
  const tenths = (10n * numerator + denominator - 1n) / denominator;
  if (tenths > 10n ** 13n) return `10^${`${tenths}`.length - 1}`;
  return tenths < 1000n ? `${tenths / 10n}.${tenths % 10n}` : ((tenths + 9n) / 10n).toLocaleString('en');
}

/** e^ε of a budget, plus a billionth for rounding: 2^m 2^k, k an integer, m below 1. */
function oddsOf(epsilon: number): Ratio {
  const bits = epsilon / Math.LN2;
  const whole = Math.floor(bits);
  return ratio(BigInt(Math.ceil((1 + 1e-9) * 2 ** (bits - whole + 50))) << BigInt(whole), 1n << 50n);
}

const often = (every: Cadence): string =>
  every === 'once' ? 'once' : every === 'day' ? 'at most once a day' : `at most once in ${PERIOD_DAYS[every]} days`;

/** Revelation of a report, or of a whole epoch, about the true answer when answers are listed. */
function guess(metric: MetricDocument, odds: Ratio): string {
  const [most, before] = [posteriorOf(metric, odds), posteriorOf(metric, ratio(1n, 1n))];
  if (most === undefined || before === undefined) return '';
  return ` Where all answers were equally likely before (${percent(before)} each), one of them is then the true one with a probability of at most ${percent(most)}.`;
}

function bound({ report, epoch, year, life }: MetricSpending, metric: MetricDocument): string {
  const { permanent, otherwise, every } = metric;
  const one = `Anyone who sees a report can be at most ${factor(report.odds)} times more confident in one answer over another (ε ${upTo3(report.epsilon)}).${guess(metric, report.odds)}`;
  const longer = ` In any 365 days: ε ${upTo3(year)} at most; in any 3,650 days: ε ${upTo3(life)}.`;
  if (epoch === undefined || permanent === undefined) return every === 'once' ? one : `${one}${longer}`;
  const isForEver = permanent.renew === 'never';
  const kept = isForEver ? 'kept' : `kept for one ${permanent.renew}`;
  const all = isForEver ? 'All reports ever on one version of the question together' : 'All reports that repeat one kept answer together';
  const first = otherwise === undefined ? 'The first answer' : 'The first answer, or what is reported in its place,';
  return `${one} ${first} is randomized once and ${kept}; later reports only repeat it, randomized again. ${all}: ${factor(epoch.odds)} times at most (ε ${upTo3(epoch.epsilon)}).${guess(metric, epoch.odds)}${isForEver ? '' : longer}`;
}

/** Sentences about an answer that is not listed. */
function unlisted(metric: MetricDocument): readonly string[] {
  if (!presentationOf(metric.type).isUnlistedSilent?.(metric)) return [];
  return ['  An answer that is not listed sends nothing, so a report reveals by its presence that the answer was listed.'];
}

const standIn = ({ otherwise }: MetricDocument): readonly string[] =>
  otherwise === undefined
    ? []
    : [
        `  If you do not answer, this is reported in your place, randomized as an answer is: ${otherwiseInWords(otherwise)}. So a report does not reveal by its presence that you answered; what it says may, within the bound below.`,
      ];

function question(spending: MetricSpending, metric: MetricDocument, { description, owner, expires, publish }: About): string {
  return [
    `- ${description} (${spending.metric})`,
    `  Asked ${often(metric.every)}. Answers: ${presentationOf(metric.type).answers(metric)}.`,
    ...unlisted(metric),
    ...standIn(metric),
    `  ${bound(spending, metric)}`,
    `  ${owner === undefined ? 'Nobody is named as its owner.' : `Asked by: ${owner}.`} ${expires === undefined ? 'No day is set on which it ends.' : `Needed until ${expires}.`}${publish ? ' Anybody may see the estimates.' : ''}`,
  ].join('\n');
}

/** Which versions a figure of a year or a life includes besides the one that is stated. */
export const versionsBefore = ({ versions }: Spending): string =>
  versions.length === 0 ? '' : `, version${versions.length > 1 ? 's' : ''} ${versions.join(', ')} before this one included`;

/** Sentence about the loss of one installation in a window. */
function window({ budget: { epsilon, per } }: SchemaDocument, spending: Spending): string {
  const isBounded = spending.window !== spending.all.epsilon;
  const odds = isBounded ? oddsOf(epsilon) : spending.all.odds;
  const spent = isBounded
    ? `ε ${epsilon}, the budget, because it is asked no more than fits`
    : `ε ${upTo3(spending.all.epsilon)}, of a budget of ${epsilon}`;
  const days = PERIOD_DAYS[per];
  return [
    `Anyone who sees everything that one installation sends for the slots that begin ${days === 1 ? 'on any one day' : `in any ${days} consecutive days`} can be at most ${factor(odds)} times more confident in one set of answers over another (${spent}).`,
    ...(spending.recorded.epsilon === spending.all.epsilon
      ? []
      : [
          `A slot is a question's time to answer, and it may begin on another day than that on which you answer, so the answers of ${days === 1 ? 'one day' : `${days} days`} can fall into one slot more of a question: those of the last day of one slot and of the first day of the next are two reports. Counted by days of answering, ε is at most ${upTo3(spending.recorded.epsilon)}.`,
        ]),
    `All questions together spend ε ${upTo3(spending.year)} at most on the slots that begin in any 365 days, and ε ${upTo3(spending.life)} in any 3,650 days${versionsBefore(spending)}.`,
  ].join(' ');
}

/** Sentences about the batch of a report. */
const BATCHES = {
  alone: 'Each report is a batch of its own.',
  together: 'The reports of one batch arrive together, and are known to be of one device.',
} as const;

/** The statement: paragraphs and a list of the questions. */
export function statementOf(document: SchemaDocument, spending: Spending): string {
  const { app, version, segments = {}, metrics, assign, about } = document;
  const clear = Object.entries(segments).map(([name, values]) => `${name} (${values.join(', ')})`);
  return [
    `What ${app} asks, and what its reports give away (version ${version})`,
    'Every answer is randomized on the device before it is stored or sent: a report may say the true answer or another, by chance. How much a report still tells is stated for each question. From many reports the collector estimates which share of them stands for each answer.',
    ...(assign
      ? ['Each device is asked only some of these questions, chosen by chance and never by an answer: as many as fit its budget.']
      : []),
    spending.metrics.map((row) => question(row, metrics[row.metric] as MetricDocument, about[row.metric] as About)).join('\n'),
    window(document, spending),
    `Sent as it is, with every batch: the name and the version of these questions and a checksum of them, a random number of its own, the names of the questions that are answered, a day, that on which the time to answer began or a later one${clear.length > 0 ? `, and ${clear.join(', ')}` : ''}. ${BATCHES[document.reports]} The upload also shows the public key of the app and, as every connection does, the address of the device and what its browser or system says of itself, such as a version and a language. Nothing in a batch names the person or the device.`,
    'An installation is one life of the storage that one origin (in an app: one device) keeps for one app name. Another browser, profile or device, a renamed app, and a storage that was erased are other installations: each has this budget for itself, and asks again.',
    'Equal activity is assumed of any two sets of answers that are compared here: when the app runs, which metrics without `otherwise` are recorded, whether the answer was listed. That is visible, and so is that an installation reports at all. Also not covered: several installations of one person; a device whose clock is set forward, which opens slots before their time.',
  ].join('\n\n');
}
