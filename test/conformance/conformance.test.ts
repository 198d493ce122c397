/** The requirements for every mechanism, checked for each in turn. test/proofs goes further for mechanisms that need more. */

import { mechanisms } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { casesOf } from './checks/check.ts';
import { subjects } from './subjects.ts';

describe.each(subjects)('$name', ({ subject, checks }) => {
  for (const { name, run } of checks.flatMap((check) => casesOf(subject, check))) test(name, run);
});

test('every mechanism of the table is asked', () => {
  expect(subjects.map(({ name }) => name).sort()).toEqual(Object.keys(mechanisms).sort());
});
