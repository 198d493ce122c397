/** When a question will have enough reports: by the collector's own rule of people and reports, week by week. */

import { choice, defineSchema, flag, mean, permanent, text } from '@murmuration/client';
import type { MetricDocument } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { basisOf } from '#collector/answers/estimates.ts';
import { outlookOf } from '#collector/answers/outlook.ts';
import { outlookInWords } from '#collector/dashboard/explain.ts';
import { marginAt } from '#collector/estimation/precision.ts';

const ask = { epsilon: 1, description: 'a question' } as const;
const { metrics } = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 99, per: 'month' },
  metrics: {
    dark: flag({ ...ask, every: 'week' }),
    once: flag({ ...ask, every: 'once' }),
    plan: choice(['free', 'pro', 'team'], ask),
    minutes: mean([0, 60], ask),
    word: text(ask),
    font: permanent(flag({ ...ask, every: 'day' }), { epsilon: 4, renew: 'year' }),
  },
}).document;
const of = (name: string): MetricDocument => metrics[name] as MetricDocument;

describe('the outlook', () => {
  test.each([
    ['dark', 40, 0.05],
    ['dark', 4_000, 0.01],
    ['once', 400, 0.05],
    ['plan', 20_000, 0.01],
  ])('of %s with %i reports is the first week in which the interval is as small', (name, reports, error) => {
    const document = of(name);
    const days = 21;
    const outlook = outlookOf(document, { reports, from: 100, to: 120, last: 120 });
    const halfAfter = (weeks: number): number => {
      const count = reports + (7 * weeks * reports) / days;
      const { people } = basisOf(document, { reports: count, from: 100, to: 120 + 7 * weeks }, 'population');
      return marginAt(document.law, count, 0.5, count / people);
    };
    const first = Array.from({ length: 520 }, (_, i) => i + 1).find((weeks) => halfAfter(weeks) <= error) ?? null;
    expect(outlook).toEqual({ error, weeks: first, isEnough: error === 0.01 });
    expect(halfAfter(0)).toBeGreaterThan(error);
  });

  test('is none for what is exact, for no reports, strings and permanent questions', () => {
    const many = { reports: 10_000_000, from: 100, to: 120, last: 120 };
    const few = { ...many, reports: 50 };
    expect(outlookOf(of('plan'), many)).toBeUndefined();
    expect(outlookOf(of('plan'), { ...few, reports: 0 })).toBeUndefined();
    expect([outlookOf(of('word'), few), outlookOf(of('font'), few)]).toEqual([undefined, undefined]);
  });

  test('promises nothing where no reports have come for long', () => {
    const silent = { reports: 500, from: 100, to: 120, last: 160 };
    expect(outlookOf(of('once'), silent)).toEqual({ error: 0.05, weeks: null, isEnough: false });
    expect(outlookOf(of('once'), { ...silent, last: 130 })?.weeks).toBeGreaterThan(0);
  });

  test('in words says which error is reached, and when', () => {
    const say = (error: number, weeks: number | null, isEnough: boolean, type: 'flag' | 'mean' = 'flag', to = '2026-11-20') =>
      outlookInWords({
        outlook: { error, weeks, isEnough },
        type,
        from: '2026-11-02',
        to,
        ...(type === 'mean' && { range: [0, 60] as const }),
      });
    expect([say(0.01, 9, true), say(0.05, 1, false), say(0.05, null, false), say(0.01, 2, true, 'mean')]).toEqual([
      '± 1 point in 9 weeks at this rate.',
      '± 5 points in 1 week at this rate.',
      '± 5 points is out of reach at this rate.',
      '± 1 % of its range in 2 weeks at this rate.',
    ]);
    expect(say(0.05, null, false, 'flag', '2026-11-02')).toBe('± 5 points is out of reach at the rate of the first day.');
  });
});
