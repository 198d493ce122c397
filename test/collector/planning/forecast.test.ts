/** The forecast of a new question, and the smallest budget for wishes: by enumeration, and by the collector's own rules. */

import * as client from '@murmuration/client';
import { choice, defineSchema, flag } from '@murmuration/client';
import type { MetricDocument, Question, SchemaDocument } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { basisOf } from '#collector/answers/estimates.ts';
import { marginAt } from '#collector/estimation/precision.ts';
import { askedOf } from '#collector/planning/plan/asked.ts';
import { CADENCES, forecastOf, type Planned, trafficOf } from '#collector/planning/plan/forecast.ts';
import { askingFrom, planned } from '#collector/planning/plan/question.ts';
import { wishesOf } from '#collector/planning/plan/wishes.ts';

const ask = { epsilon: 1, description: 'a question' };
const schemaOf = (metrics: Record<string, Question<never>>, more: object = {}): SchemaDocument =>
  defineSchema({ app: 'notes', version: 3, budget: { epsilon: 4, per: 'month' }, metrics, ...more }).document;
const document = schemaOf({ dark: flag(ask), plan: choice(['free', 'pro', 'team'], ask) });

const of: { readonly [type: string]: string } = {
  choice: '8',
  choices: '6',
  joint: '3,2',
  histogram: '0,10,100',
  discover: '4',
  mean: '-5,5',
  count: '30',
  distribution: '0,100',
};
const plan = (type: (typeof planned)[number], more: Partial<Planned> = {}, size = of[type] ?? '') =>
  forecastOf(document, [], {
    asking: askingFrom(type, size, { epsilon: 1, atMost: 2 }),
    every: 'week',
    error: 0.01,
    after: 4,
    devices: 50_000,
    name: 'asked',
    description: 'Is it the user’s "own"\\ \'one\'?',
    ...more,
  });

describe('the line of the schema', () => {
  const compiled = (line: string): MetricDocument => {
    const scope = Object.entries(client);
    const value = new Function(...scope.map(([name]) => name), `return { ${line} }`)(...scope.map(([, each]) => each));
    const { metrics, about } = schemaOf(value, { budget: { epsilon: 99, per: 'month' } });
    expect(about['asked']?.description).toBe('Is it the user’s "own"\\ \'one\'?');
    return metrics['asked'] as MetricDocument;
  };
  test.each(planned)('compiles to the law that was planned: %s', (type) => {
    const { line, mechanism, every } = plan(type);
    expect(compiled(line)).toMatchObject({ type, every, epsilon: 1, law: { mechanism } });
  });
  test('names the mechanism of long lists, where the plan is of it', () => {
    const { line, mechanism } = plan('choice', {}, '300');
    expect(line).toContain('longList()');
    expect(compiled(line).law.mechanism).toBe(mechanism);
  });
});

describe('the weeks until an error', () => {
  test.each(CADENCES)('are the first after which the collector’s own interval is as narrow: %s', (every) => {
    const { law } = schemaOf({ eight: choice([...'abcdefgh'], ask) }).metrics['eight'] as MetricDocument;
    const { weeks, course, devices } = plan('choice', { every, error: 0.008 });
    const marginAfter = (week: number): number => {
      const days = 7 * week;
      const slot = { day: 1, week: 7, month: 30, once: 30 }[every];
      const reports = Math.round(devices * (every === 'once' ? Math.min(1, days / slot) : days / slot));
      const { people } = basisOf({ every }, { reports, from: 0, to: days - 1 }, 'population');
      const noise = marginAt(law, reports, 1 / 8) ** 2 / 1.959963984540054 ** 2 - ((1 / 8) * (7 / 8)) / reports;
      return 1.959963984540054 * Math.sqrt(noise + ((1 / 8) * (7 / 8)) / people);
    };
    for (const { weeks: week, margin95 } of course.slice(0, 60)) expect(margin95).toBeCloseTo(marginAfter(week), 9);
    const first = Array.from({ length: 520 }, (_, i) => i + 1).find((week) => marginAfter(week) <= 0.008) ?? null;
    expect(weeks).toBe(first);
  });
  test('are none where the same devices answer again and are too few, and the plan says how many are enough', () => {
    const { weeks, after } = plan('flag', { devices: 3_000 });
    expect(weeks).toBeNull();
    const enough = after.devicesForError as number;
    expect(plan('flag', { devices: enough }).after.margin95).toBeLessThanOrEqual(0.01);
    expect(plan('flag', { devices: enough - 1 }).after.margin95).toBeGreaterThan(0.01);
    const epsilon = plan('flag', { devices: 12_000, after: 5 }).after.epsilonForError as number;
    const at = (e: number) => plan('flag', { devices: 12_000, after: 5, asking: { epsilon: e, flag: true } }).after.margin95;
    expect([at(epsilon) <= 0.01, at(epsilon - 0.01) <= 0.01]).toEqual([true, false]);
  });
});

test('the traffic is that of the metric which shows the most devices, and never promises more than they were', () => {
  const shares = {
    shares: new Map([
      ['a', 1],
      ['b', 0.5],
      ['c', 1],
      ['d', 1],
    ]),
    standardError: 0,
  };
  const days = { from: '2026-09-01', to: '2026-10-30' }; // 60 days
  const metrics = [
    { metric: 'a', every: 'month' as const, reports: 6_000, ...days },
    { metric: 'b', every: 'week' as const, reports: 12_000, ...days },
    { metric: 'c', every: 'once' as const, reports: 90_000, ...days },
    { metric: 'd', every: 'month' as const, reports: 2_000, from: '2026-10-30', to: '2026-10-30' }, // a day of a month: not 60,000 a month
  ];
  // 100 a day in slots of 30 days; 200 a day of half of the devices, in slots of 7.
  expect([trafficOf(metrics, shares, 'month'), trafficOf(metrics, shares, 'once')]).toEqual([
    { metric: 'a', devices: 3_000 },
    { metric: 'a', devices: 3_000 },
  ]);
  expect([trafficOf(metrics, shares, 'week'), trafficOf(metrics, shares, 'day')]).toEqual([
    { metric: 'b', devices: 2_800 },
    { metric: 'b', devices: 400 },
  ]);
  expect(trafficOf([], shares, 'week')).toBeNull();
  expect(trafficOf([{ ...metrics[0], from: null, to: null, reports: 0 } as never], shares, 'week')).toBeNull();
});

test('a question costs its slots, replaces one of its name, and fits up to the ε that is said', () => {
  const { budget } = plan('flag', { every: 'week' });
  expect(budget).toEqual({ epsilon: 4, per: 'month', before: 2, times: 5, charge: 5, fits: false, isAssigned: false, most: 0.4 });
  const at = (epsilon: number) => plan('flag', { asking: { epsilon, flag: true } }).budget.fits;
  expect([at(0.4), at(0.41)]).toEqual([true, false]);
  expect(plan('flag', { every: 'month', name: 'dark' }).budget).toMatchObject({ before: 1, charge: 1, fits: true, most: 3 });
});

describe('the smallest budget for wishes', () => {
  const GRID = Array.from({ length: 400 }, (_, i) => (i + 1) / 100);
  const lawAt = (make: (epsilon: number) => Question<never>, epsilon: number) =>
    (schemaOf({ x: make(epsilon) }, { budget: { epsilon: 99, per: 'month' } }).metrics['x'] as MetricDocument).law;
  const make = {
    dark: (epsilon: number) => flag({ ...ask, epsilon, every: 'week' as const }),
    plan: (epsilon: number) => choice(['free', 'pro', 'team'], { ...ask, epsilon }),
  };
  const whole = schemaOf({ dark: make.dark(0.2), plan: make.plan(1) });
  const wishes = new Map([
    ['dark', { error: 0.02, share: 0.5 }],
    ['plan', { error: 0.01, share: 0.2 }],
  ]);
  const meets = (name: 'dark' | 'plan', epsilon: number, reports: number): boolean => {
    const { error, share } = wishes.get(name) as { error: number; share: number };
    return marginAt(lawAt(make[name], epsilon), reports, share) <= error;
  };

  test('is the least sum over all pairs of ε in hundredths that meet them', () => {
    const found = wishesOf(whole, wishes, 20_000);
    const [dark, plans] = (['dark', 'plan'] as const).map((name) => GRID.filter((epsilon) => meets(name, epsilon, 20_000))) as [
      number[],
      number[],
    ];
    const sums = dark.flatMap((one) => plans.map((other) => Math.round(100 * (5 * one + other)) / 100));
    expect(found.needed).toBe(Math.min(...sums));
    expect(found.metrics.map(({ needed, times }) => [needed, times])).toEqual([
      [dark[0], 5],
      [plans[0], 1],
    ]);
    expect(found.isWithin).toBe(Math.min(...sums) <= 4);
  });

  test('of devices that share the questions is the least over every part, and the shares of devices are exact', () => {
    const { shared } = wishesOf(whole, wishes, 20_000);
    const budgets = [1, 2].map((questions) => {
      const charges = Array.from({ length: 2_000 }, (_, i) => (i + 5) / 100);
      const enough = charges.find(
        (c) => meets('dark', Math.floor(20 * c + 1e-9) / 100, 10_000 * questions) && meets('plan', c, 10_000 * questions),
      );
      return questions * (enough ?? Number.POSITIVE_INFINITY);
    });
    expect(shared?.budget).toBeCloseTo(Math.min(...budgets), 9);
    const { charge, questions } = shared as { charge: number; questions: number };
    const assigned = schemaOf(
      { dark: make.dark(charge / 5), plan: make.plan(charge) },
      { budget: { epsilon: questions * charge, per: 'month' }, assign: 'random' },
    );
    expect([...askedOf(assigned).shares.values()]).toEqual([questions / 2, questions / 2]);
  });

  test('keeps the charges of questions without a wish, and says what can’t be met', () => {
    const only = wishesOf(whole, new Map([['plan', { error: 0.01, share: 0.2 }]]), 20_000);
    expect(only).toMatchObject({ others: 1, shared: null });
    expect(only.needed).toBeCloseTo(1 + (only.metrics[0]?.needed as number), 9);
    expect(wishesOf(whole, new Map([['plan', { error: 0.0001, share: 0.2 }]]), 100)).toMatchObject({ needed: null, isWithin: false });
    expect(() => wishesOf(whole, new Map([['other', { error: 0.01, share: 0.2 }]]), 100)).toThrow('wishes: expected metrics of the schema');
  });
});
