/** Answers, numbers and days as a person reads them, in the language of the texts. */

import { type Answer, type Law, labelOf, type Schema } from '@murmuration/shared';
import { sentences } from '../components/dom.ts';
import type { DeviceQuestions } from '../questions/question.ts';
import { casesOf, chanceOf, factorOf } from './chance.ts';
import type { Texts } from './texts.ts';

/** The functions that make them readable. */
export interface Readable {
  readonly number: (value: number) => string;
  /** A day, from `2026-11-20`. */
  readonly day: (text: string) => string;
  /** The sentence that states what a report says, from the labels of the answers that it names. */
  readonly says: (metric: string, labels: readonly string[], more?: number) => string;
  /** The answer that is reported in the person's place. */
  readonly answer: (metric: string, value: unknown) => string;
  readonly list: (texts: readonly string[]) => string;
  readonly either: (texts: readonly string[]) => string;
  /** The most that anyone who sees a report can learn from it; undefined if this differs between questions. */
  readonly common: string | undefined;
  /**
   * How often a report differs from the person's answer and, if this differs between questions, the most that anyone who sees it can learn.
   */
  readonly chance: (metric: string) => string;
  /** Why a report may say something other than the person's answer. */
  readonly why: (metric: string) => string;
}

export function readableIn(
  texts: Texts,
  { questions, document: { metrics, about } }: Pick<Schema<DeviceQuestions>, 'questions' | 'document'>,
): Readable {
  const { language } = texts;
  const numbers = new Intl.NumberFormat(language);
  const days = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const either = new Intl.ListFormat(language, { type: 'disjunction' });
  const number = (value: number): string => numbers.format(value);
  const forms = new Map<string, string>();
  /** The kind of a list's answers: texts, yes and no, or answers to several lists. */
  const formOf = (metric: string): string => {
    const form = forms.get(metric) ?? typeof questions[metric]?.answers?.()[0];
    forms.set(metric, form);
    return form;
  };

  /** Translates yes and no in a label that combines them with their question. */
  const withWords = (text: string): string =>
    text.replace(/: (true|false)(?=,|$)/g, (_, value) => `: ${value === 'true' ? texts.yes : texts.no}`);

  /** A label from the shared package, which the collector's pages show as well. */
  const label = (metric: string, text: string): string => {
    const question = questions[metric];
    const form = formOf(metric);
    if (form === 'boolean') return text === 'true' ? texts.yes : texts.no;
    if (form === 'object') return withWords(text);
    const unit = about[metric]?.unit;
    const spoken = (digits = ''): string => {
      const text = digits !== '' && Number.isFinite(Number(digits)) ? number(Number(digits)) : digits;
      return unit === undefined ? text : `${text}\u00a0${unit}`;
    };
    if (question?.isNumber) return spoken(text);
    if (!question?.isScale) return text;
    const [, low, high] = /^(.+) – (.+)$/.exec(text) ?? [];
    if (low !== undefined) return texts.between(spoken(low), spoken(high));
    const [, sign, edge] = /^([<≥]) (.+)$/.exec(text) ?? [];
    return sign ? (sign === '<' ? texts.below : texts.from)(spoken(edge)) : spoken(text);
  };

  /** An answer that a schema contains. */
  const spokenAnswer = (metric: string, value: unknown): string => {
    if (typeof value === 'number') return number(value);
    if (Array.isArray(value)) return value.join(', ');
    const text = labelOf(value as Answer);
    return typeof value === 'object' ? withWords(text) : label(metric, text);
  };

  /** The odds that a report does not name the answer, in words; no `count` if reports name no answers. */
  const oddsOf = (law: Law): { readonly of?: number; readonly count?: string; readonly cases: string } => {
    const chance = chanceOf(law);
    const { count, cases } = casesOf(chance?.other ?? 0);
    return { ...chance, ...(chance && { count: number(count) }), cases: number(cases) };
  };

  const factors = new Set(Object.values(metrics).map(({ epsilon }) => factorOf(epsilon)));
  const [factor] = factors.size === 1 ? factors : [];

  return {
    number,
    either: (texts) => either.format(texts),
    list: (texts) => new Intl.ListFormat(language, { type: 'conjunction' }).format(texts),
    common: factor === undefined ? undefined : texts.eachAtMost(number(factor)),
    day: (text) => days.format(new Date(`${text}T00:00:00Z`)),
    says: (metric, labels, more = 0) => {
      if (labels.length === 0) return texts.saysNothing;
      const quoted = labels.map((text) => texts.quote(label(metric, text)));
      return texts.says(either.format(more > 0 ? [...quoted, texts.others(number(more))] : quoted));
    },
    answer: spokenAnswer,
    chance: (metric) => {
      const asked = metrics[metric];
      if (!asked) return '';
      const { of, count, cases } = oddsOf(asked.law);
      const changed =
        count === undefined
          ? texts.noise
          : of === 1
            ? texts.other(count, cases)
            : of === undefined
              ? texts.several(count, cases)
              : texts.without(number(of), count, cases);
      const { permanent, epsilon } = asked;
      return sentences(
        changed,
        factor === undefined && texts.atMost(number(factorOf(epsilon))),
        permanent && texts.together(number(factorOf(permanent.epsilon)), permanent.renew),
      );
    },
    why: (metric) => {
      const asked = metrics[metric];
      if (!asked) return '';
      const { of, count, cases } = oddsOf(asked.law);
      return count === undefined ? texts.noise : (of === 1 ? texts.why : texts.whySeveral)(count, cases);
    },
  };
}
