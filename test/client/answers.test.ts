/** `answersOf`: what a form lists, typed by the schema. */

import { answersOf, best, choice, choices, defineSchema, flag, histogram, joint, permanent, text } from '@murmuration/client';
import { expect, expectTypeOf, test } from 'vitest';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'a',
  version: 1,
  budget: { epsilon: 20, per: 'month' },
  metrics: {
    dark: flag(ask),
    plan: choice(['free', 'pro', 'team'], ask),
    kept: permanent(choice(['a', 'b'], ask), { epsilon: 1, renew: 'year' }),
    open: choice(['mail', 'chat'], { ...ask, other: true }),
    parts: choices(['mail', 'chat', 'files'], { ...ask, atMost: 2 }),
    view: best(['list', 'grid'], { ...ask, utility: { few: [2, 0], many: [0, 1] } }),
    both: joint({ plan: ['free', 'pro'], dark: [true, false] }, ask),
    pages: joint({ page: text, plan: ['free', 'pro'] }, ask),
    home: text(ask),
    start: histogram([0, 100], ask),
  },
});

test('answers stand in the order of the schema, and have its types', () => {
  const plans = answersOf(schema, 'plan');
  expectTypeOf(plans).toEqualTypeOf<readonly ('free' | 'pro' | 'team')[]>();
  expect(plans).toEqual(['free', 'pro', 'team']);
  expectTypeOf(answersOf(schema, 'dark')).toEqualTypeOf<readonly boolean[]>();
  expect(answersOf(schema, 'dark')).toEqual([false, true]);
  expectTypeOf(answersOf(schema, 'kept')).toEqualTypeOf<readonly ('a' | 'b')[]>();
  expect(answersOf(schema, 'kept')).toEqual(['a', 'b']);
  expect(answersOf(schema, 'open')).toEqual(['mail', 'chat', 'other']);
  expectTypeOf(answersOf(schema, 'parts')).toEqualTypeOf<readonly ('mail' | 'chat' | 'files')[]>();
  expect(answersOf(schema, 'parts')).toEqual(['mail', 'chat', 'files']);
  expectTypeOf(answersOf(schema, 'view')).toEqualTypeOf<readonly ('few' | 'many')[]>();
  expect(answersOf(schema, 'view')).toEqual(['few', 'many']);
  const both = answersOf(schema, 'both');
  expectTypeOf(both).toEqualTypeOf<readonly { readonly plan: 'free' | 'pro'; readonly dark: boolean }[]>();
  expect(both).toHaveLength(4);
  expect(both[0]).toEqual({ plan: 'free', dark: true });
});

test('a metric without a list of answers does not compile, and is refused', () => {
  // @ts-expect-error a text
  expect(() => answersOf(schema, 'home')).toThrow('home: expected a metric with a list of answers, got text');
  // @ts-expect-error a number
  expect(() => answersOf(schema, 'start')).toThrow('start: expected a metric with a list of answers, got histogram');
  // @ts-expect-error no metric
  expect(() => answersOf(schema, 'paln')).toThrow('paln: expected a metric with a list of answers, got none of this schema');
  expect(() => answersOf(schema, 'pages')).toThrow('pages: expected a metric with a list of answers, got joint');
});
