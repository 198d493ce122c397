/** A specimen of each type of question. The tests of schemas, of scripts and of estimates take each type's examples from here. */

import {
  best,
  choice,
  choices,
  count,
  type DeviceQuestion,
  discover,
  distribution,
  flag,
  histogram,
  joint,
  mean,
  permanent,
  text,
} from '@murmuration/client';
import type { QuestionType } from '@murmuration/shared';

/** What is expected; a question that an app gets wrong; and the value of its field that is as wrong in a document. */
type Mistake = readonly [expected: string, wrong: () => object, field: string, value: unknown];

export interface QuestionSpecimen {
  readonly question: DeviceQuestion<never>;
  /** A value that a device records. */
  readonly value: unknown;
  /** What the collector estimates where every device records it: the label with the largest share, or the mean. */
  readonly estimated: string | { readonly mean: number };
  /** At least one for each field of its document. */
  readonly mistakes: readonly Mistake[];
}

export const ask = { epsilon: 1, description: 'a question' };
export const LIST = '2 to 100000 different answers, each a string';
export const never = { epsilon: 2, renew: 'never' } as const;
export const names = (length: number): string[] => Array.from({ length }, (_, i) => `${i}`);

const UTILITY = { a: [1, 0], b: [0, 1] };
const lists = (product: readonly (readonly unknown[])[]): object[] => product.map((answers, i) => ({ name: `list${i}`, answers }));
const named = (product: readonly (readonly unknown[])[]): never =>
  Object.fromEntries(product.map((answers, i) => [`list${i}`, answers])) as never;

export const questionSpecimens: { readonly [T in QuestionType]: QuestionSpecimen } = {
  flag: {
    question: flag(ask),
    value: true,
    estimated: 'true',
    mistakes: [],
  },
  choice: {
    question: choice(['a', 'b'], ask),
    value: 'b',
    estimated: 'b',
    mistakes: [
      [LIST, () => choice(['a'], ask), 'answers', ['a']],
      [LIST, () => choice(['a', 'b', 'a'], ask), 'answers', ['a', 'b', 'a']],
      [LIST, () => choice(['a', ''], ask), 'answers', ['a', '']],
      [LIST, () => choice(['a', 1 as never], ask), 'answers', ['a', 1]],
      [LIST, () => choice(names(150_000), ask), 'answers', names(150_000)],
      ['one of true', () => choice(['a', 'b'], { ...ask, other: 'yes' as never }), 'other', 'yes'],
    ],
  },
  choices: {
    question: choices(['a', 'b', 'c'], { ...ask, atMost: 2 }),
    value: ['c'],
    estimated: 'c',
    mistakes: [
      [LIST, () => choices(['a', 'a'], { ...ask, atMost: 2 }), 'answers', ['a', 'a']],
      ['a whole number above 0', () => choices(['a', 'b'], { ...ask, atMost: 0 }), 'atMost', 0],
      ['one of true', () => choices(['a', 'b'], { ...ask, atMost: 1, other: 1 as never }), 'other', 1],
      ['no permanence of a set', () => permanent(choices(['a', 'b'], { ...ask, atMost: 1 }), never), 'permanent', never],
    ],
  },
  best: {
    question: best(['x', 'y'], { ...ask, utility: UTILITY }),
    value: 'b',
    estimated: 'b', // shares are those of the inputs
    mistakes: [
      [LIST, () => best(['x', 'x'], { ...ask, utility: { a: [1, 0], b: [0, 1] } }), 'options', ['x', 'x']],
      [LIST, () => best(['x', 'y'], { ...ask, utility: { a: [1, 0] } }), 'inputs', ['a']],
      [
        '2 to 64 rows of 2 to 64 finite numbers',
        () => best(['x', 'y'], { ...ask, utility: { a: [1, Number.NaN], b: [0, 1] } }),
        'utility',
        [
          [1, null],
          [0, 1],
        ],
      ],
      [
        '2 options, as many as a row has utilities',
        () => best(['x', 'y', 'z'], { ...ask, utility: { a: [1, 0], b: [0, 1] } }),
        'options',
        ['x', 'y', 'z'],
      ],
      ['no permanence of an outcome', () => permanent(best(['x', 'y'], { ...ask, utility: UTILITY }), never), 'permanent', never],
    ],
  },
  joint: {
    question: joint({ a: ['x', 'y'], b: [true, false] }, ask),
    value: { a: 'y', b: true },
    estimated: 'y, b: true',
    mistakes: [
      ['two lists or more', () => joint(named([['x', 'y']]), ask), 'questions', lists([['x', 'y']])],
      [
        '2 to 100000 different answers, each a string or boolean',
        () => joint(named([['x'], ['x', 'y']]), ask),
        'questions',
        lists([['x'], ['x', 'y']]),
      ],
      ['two lists or more', () => joint(named([names(1000), names(101)]), ask), 'questions', lists([names(1000), names(101)])],
      [
        'one text at most',
        () => joint({ a: text, b: text }, ask),
        'questions',
        [
          { name: 'a', text: true },
          { name: 'b', text: true },
        ],
      ],
    ],
  },
  text: {
    question: text(ask),
    value: 'tea',
    estimated: 'tea',
    mistakes: [],
  },
  discover: {
    question: discover({ ...ask, longest: 8 }),
    value: 'tea',
    estimated: 'tea',
    mistakes: [
      ['a whole number of bytes from 1 to 48', () => discover({ ...ask, longest: 49 }), 'longest', 49],
      ['a whole number of bytes from 1 to 48', () => discover({ ...ask, longest: 0 }), 'longest', 0],
      ['no permanence of strings that are to be discovered', () => permanent(discover({ ...ask, longest: 8 }), never), 'permanent', never],
    ],
  },
  histogram: {
    question: histogram([0, 1], ask),
    value: 0.5,
    estimated: '0 – 1',
    mistakes: [
      ['1 to 99999 finite numbers, each above the one before', () => histogram([1, 0], ask), 'edges', [1, 0]],
      ['1 to 99999 finite numbers, each above the one before', () => histogram([], ask), 'edges', []],
    ],
  },
  mean: {
    question: mean([0, 1], ask),
    value: 0.75,
    estimated: { mean: 0.75 },
    mistakes: [
      ['two finite numbers, the second above the first', () => mean([3, 3], ask), 'range', [3, 3]],
      ['two finite numbers, the second above the first', () => mean([-1e308, 1e308], ask), 'range', [-1e308, 1e308]],
    ],
  },
  count: {
    question: count(9, ask),
    value: 4,
    estimated: { mean: 4 },
    mistakes: [['a whole number above 0', () => count(1.5, ask), 'max', 1.5]],
  },
  distribution: {
    question: distribution([0, 1], ask),
    value: 0.75,
    estimated: { mean: 0.75 },
    mistakes: [
      ['two finite numbers, the second above the first', () => distribution([1, 0], ask), 'range', [1, 0]],
      ['a whole number of cells from 2 to 256', () => distribution([0, 1], { ...ask, cells: 1 }), 'cells', 1],
      ['a mean, a count or a histogram to be permanent', () => permanent(distribution([0, 1], ask), never), 'permanent', never],
    ],
  },
};
