/** The inspector's odds and trials: what would have been sent for an answer, by the laws, without a record. */

import {
  best,
  choice,
  choices,
  count,
  defineSchema,
  discover,
  distribution,
  flag,
  histogram,
  joint,
  mean,
  permanent,
  text,
} from '@murmuration/client';
import { localHashing, unary } from '@murmuration/client/mechanisms';
import type { MetricDocument } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { chanceOf } from '#client/inspector/chance.ts';
import { tryAnswer } from '#client/inspector/trial.ts';
import { mechanisms } from '#shared/mechanisms/table.ts';
import { binomial, pooled, upperTail } from '../proofs/statistics.ts';

const T = 2 ** 32;
const at = (probability: number): number => Math.floor(probability * T);

test('the inspector says how likely a report does not name the answer as the laws do', () => {
  const { 'k-ary': kAry, subset, unary: bits, 'local-hashing': hashed } = mechanisms;
  const stages = { one: at(0.5), zero: at(0.2), irr: { one: at(0.8), zero: at(0.1) } };
  const laws = [
    [{ mechanism: 'k-ary', size: 2, truth: at(0.73) }, kAry.support],
    [{ mechanism: 'k-ary', size: 7, truth: at(0.4) }, kAry.support],
    [{ mechanism: 'k-ary', size: 5, truth: at(0.9), irr: { truth: at(0.6) } }, kAry.support],
    [{ mechanism: 'subset', size: 10, subset: 3, include: at(0.54) }, subset.support],
    [{ mechanism: 'unary', size: 10, one: at(0.5), zero: at(0.2) }, bits.support],
    [{ mechanism: 'unary', size: 10, ...stages }, bits.support],
    [{ mechanism: 'local-hashing', size: 50, buckets: 8, truth: at(0.4), irr: { truth: at(0.7) } }, hashed.support],
  ] as const;
  for (const [law, support] of laws) {
    const { p } = (support as (law: unknown) => { readonly p: number })(law);
    expect(chanceOf(law)?.other).toBeCloseTo(1 - p, 12);
  }
});

const ask = { epsilon: 1, description: 'a question' };
const letters = [...'abcdefghijklmnopqrst'];
/** A question of each type, and an answer. */
const asked = {
  flag: [flag(ask), true],
  choice: [choice(letters, ask), 'c'],
  unary: [choice(letters, { ...ask, mechanism: unary() }), 'c'],
  hashed: [choice(letters, { ...ask, mechanism: localHashing() }), 'c'],
  permanent: [permanent(choice(['x', 'y', 'z'], ask), { epsilon: 2, renew: 'year' }), 'y'],
  histogram: [histogram([1, 2, 3], ask), 2.5],
  joint: [joint({ plan: ['free', 'pro'], dark: [true, false] }, ask), { plan: 'pro', dark: true }],
  best: [best(['list', 'grid'], { ...ask, utility: { few: [1, 0], many: [0, 1] } }), 'few'],
  choices: [choices(letters, { ...ask, atMost: 3 }), ['a', 'b']],
  mean: [mean([0, 60], ask), 20],
  count: [count(20, ask), 3],
  distribution: [distribution([0, 60], ask), 30],
  text: [text(ask), 'zephyrous'],
  discover: [discover({ ...ask, epsilon: 3 }), 'word'],
} as const;
const metrics = Object.fromEntries(Object.entries(asked).map(([name, [question]]) => [name, question]));
const schema = defineSchema({ app: 'a', version: 1, budget: { epsilon: 20, per: 'year' }, metrics });

describe('a trial', () => {
  test('draws from the law of a record: answers are named as often as it says', () => {
    const tries = 500;
    const named = Object.entries(asked).filter(([name]) => chanceOf((schema.document.metrics[name] as MetricDocument).law));
    expect(named.map(([name]) => name)).toEqual(['flag', 'choice', 'unary', 'hashed', 'permanent', 'histogram', 'joint']);
    const parts = named.map(([name, [, value]]) => {
      const changed = Array.from({ length: tries }, () => tryAnswer(schema, name, value)?.differs).filter(Boolean).length;
      return binomial(changed, chanceOf((schema.document.metrics[name] as MetricDocument).law)?.other ?? 0, tries);
    });
    expect(upperTail(pooled(parts))).toBeGreaterThan(1e-6);
  });

  test('works for a question of every type, and names nothing of an answer of a wrong type', () => {
    for (const [name, [, value]] of Object.entries(asked)) {
      expect([name, tryAnswer(schema, name, value)?.said]).toEqual([name, expect.any(Array)]);
      expect([name, tryAnswer(schema, name, Symbol())]).toEqual([name, undefined]);
    }
  });
});
