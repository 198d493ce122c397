/** What every mechanism owes, asked of each in turn. The proofs beside it go further where a mechanism has more to it. */

import { describe, test } from 'vitest';
import { casesOf } from './checks/check.ts';
import { numberChecks } from './checks/numbers.ts';
import { shareChecks } from './checks/shares.ts';
import { numberSubjects, shareSubjects } from './subject.ts';

describe.each(shareSubjects)('%s', (_name, subject) => {
  for (const check of shareChecks) {
    for (const { name, run } of casesOf(subject, check)) test(name, run);
  }
});

describe.each(numberSubjects)('%s', (_name, subject) => {
  for (const check of numberChecks) {
    for (const { name, run } of casesOf(subject, check)) test(name, run);
  }
});
