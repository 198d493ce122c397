/**
 * The requirements for every mechanism, with six times the rounds, reports and random bytes of `npm test`: a variance misstated by a
 * fifth fails.
 */

import { describe, test } from 'vitest';
import { casesOf } from './checks/check.ts';
import { subjects } from './subjects.ts';

describe.each(subjects)('$name', ({ subject, checks }) => {
  for (const { name, run } of checks.flatMap((check) => casesOf(subject, check, 6))) test(name, run);
});
