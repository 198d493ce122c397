/** The privacy statement in plain words, generated from a schema's descriptions, owners, expiry days and exact ε. texts/ has its languages. */

import { type About, type MetricDocument, PERIOD_DAYS, type Ratio, ratio, type SchemaDocument } from '@murmuration/shared';
import { presentationOf } from '../../estimation/questions.ts';
import { percent, posteriorOf } from './posterior.ts';
import type { MetricSpending, Spending } from './spending.ts';
import { english } from './texts/english.ts';
import { german } from './texts/german.ts';
import type { AnswerTexts, StatementTexts } from './texts/texts.ts';

export type Language = 'en' | 'de';

/** The texts of the statement, by language. */
export const LANGUAGES: { readonly [language in Language]: StatementTexts } = { en: english, de: german };

/** e^ε, rounded up: to a tenth, for larger values to a whole number, and for very large ones to a power of ten. */
export function factor({ numerator, denominator }: Ratio): string {
  const tenths = (10n * numerator + denominator - 1n) / denominator;
  if (tenths > 10n ** 13n) return `10^${`${tenths}`.length - 1}`;
  return tenths < 1000n ? `${tenths / 10n}.${tenths % 10n}` : ((tenths + 9n) / 10n).toLocaleString('en');
}

/** e^ε plus a billionth for rounding: 2^m 2^k, k an integer, m below 1. */
export function oddsOf(epsilon: number): Ratio {
  const bits = epsilon / Math.LN2;
  const whole = Math.floor(bits);
  return ratio(BigInt(Math.ceil((1 + 1e-9) * 2 ** (bits - whole + 50))) << BigInt(whole), 1n << 50n);
}

/** The factor of an odds ratio, or of an ε, in a language's marks. */
function timesIn({ number }: StatementTexts, odds: Ratio | string): string {
  return number(factor(typeof odds === 'string' ? oddsOf(Number(odds)) : odds));
}

/** Revelation of a report, or of a whole epoch, about the true answer when answers are listed. */
function guess({ number, guess: words }: StatementTexts, metric: MetricDocument, odds: Ratio): readonly string[] {
  const [most, before] = [posteriorOf(metric, odds), posteriorOf(metric, ratio(1n, 1n))];
  return most === undefined || before === undefined ? [] : [words(number(percent(before)), number(percent(most)))];
}

function bound(texts: StatementTexts, { report, epoch, year, life }: MetricSpending, metric: MetricDocument): string {
  const { permanent, otherwise, every } = metric;
  const longer = [texts.longer(timesIn(texts, year), timesIn(texts, life))];
  const rest =
    epoch === undefined || permanent === undefined
      ? [every === 'once' ? [] : longer]
      : [
          texts.permanent(permanent.renew, otherwise !== undefined, timesIn(texts, epoch.odds)),
          guess(texts, metric, epoch.odds),
          permanent.renew === 'never' ? [] : longer,
        ];
  return [texts.report(timesIn(texts, report.odds)), guess(texts, metric, report.odds), ...rest].flat().join(' ');
}

/** The words for a metric's answers. */
export const answersIn = ({ answers }: StatementTexts, metric: MetricDocument): string =>
  (answers[metric.type] as AnswerTexts[keyof AnswerTexts] as (metric: MetricDocument) => string)(metric);

function question(texts: StatementTexts, spending: MetricSpending, metric: MetricDocument, about: About): string {
  const { description, owner, expires, publish } = about;
  const { otherwise } = metric;
  return [
    `- ${description} (${spending.metric})`,
    `  ${texts.question(texts.often(metric.every), answersIn(texts, metric))}`,
    ...(presentationOf(metric.type).isUnlistedSilent?.(metric) ? [`  ${texts.unlisted}`] : []),
    ...(otherwise === undefined ? [] : [`  ${texts.standIn(texts.otherwise(otherwise))}`]),
    `  ${bound(texts, spending, metric)}`,
    `  ${[texts.owner(owner), texts.expires(expires), ...(publish ? [texts.published] : [])].join(' ')}`,
  ].join('\n');
}

/** Which versions a figure of a year or a life includes besides the one that is stated. */
export const versionsBefore = ({ versions }: Spending): string =>
  versions.length === 0 ? '' : `, version${versions.length > 1 ? 's' : ''} ${versions.join(', ')} before this one included`;

/** Sentences about the loss of one installation in a window. */
function window(texts: StatementTexts, { budget: { epsilon, per } }: SchemaDocument, spending: Spending): string {
  const { window, all, recorded, year, life, versions } = spending;
  const isBounded = window !== all.epsilon;
  const days = PERIOD_DAYS[per];
  return [
    texts.window(days, timesIn(texts, isBounded ? oddsOf(epsilon) : all.odds)),
    ...(isBounded ? [texts.bounded] : []),
    ...(recorded.epsilon === all.epsilon ? [] : [texts.recorded(days, timesIn(texts, recorded.odds))]),
    texts.all(timesIn(texts, year), timesIn(texts, life), versions),
  ].join(' ');
}

/** The statement: paragraphs and a list of the questions. */
export function statementOf(document: SchemaDocument, spending: Spending, language: Language = 'en'): string {
  const texts = LANGUAGES[language];
  const { app, version, segments = {}, metrics, assign, about, relay } = document;
  const clear = Object.entries(segments).map(([name, values]) => `${name} (${values.join(', ')})`);
  return [
    texts.title(app, version),
    texts.introduction,
    texts.coin,
    ...(assign ? [texts.assigned] : []),
    spending.metrics.map((row) => question(texts, row, metrics[row.metric] as MetricDocument, about[row.metric] as About)).join('\n'),
    window(texts, document, spending),
    `${texts.inClear(clear.join(', '))} ${texts.batches[document.reports]} ${texts.upload[relay ? 'relay' : 'direct']}`,
    texts.installation,
    texts.activity,
  ].join('\n\n');
}
