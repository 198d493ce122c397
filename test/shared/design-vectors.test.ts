/** The vectors of laws on designs, made by an independent script from docs/format.md, hold for the shipped code. */

import {
  countMeanSketchLaw,
  hadamardCountMeanSketchLaw,
  hadamardLaw,
  type Law,
  mechanismOf,
  projectiveLaw,
  type ShareLaw,
} from '@murmuration/shared';
import { expect, test } from 'vitest';
import { type LawCase, readVectors, testLaws, testRefused } from './law-vectors.ts';

interface Case extends LawCase {
  readonly mechanism: string;
  readonly size: number;
  readonly epsilon: number;
  readonly order?: number;
}

const {
  sets,
  refused = [],
  ...tables
} = readVectors<
  { readonly [table: string]: readonly Case[] } & {
    readonly sets: readonly {
      readonly law: ShareLaw;
      readonly cohort: number;
      readonly answer: number;
      readonly cells: readonly number[];
    }[];
  }
>('designs');

const derive: { readonly [table: string]: (of: Case) => Law } = {
  hadamard: ({ size, epsilon, order }) => hadamardLaw(size, epsilon, order),
  projective: ({ size, epsilon, order }) => projectiveLaw(size, epsilon, order),
  count_mean_sketch: ({ size, epsilon, order, permanent }) => countMeanSketchLaw(size, epsilon, permanent, order),
  hadamard_count_mean_sketch: ({ size, epsilon, order }) => hadamardCountMeanSketchLaw(size, epsilon, order),
};

testLaws(tables, derive);
testRefused(refused, (of) => derive[of.mechanism]?.(of));

test('the cells that support answers are the independent ones', () => {
  expect(sets.length).toBeGreaterThan(50);
  for (const { law, cohort, answer, cells } of sets) expect(mechanismOf(law).supporting?.(law, cohort, answer)).toEqual(cells);
});
