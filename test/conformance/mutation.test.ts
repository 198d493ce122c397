/** The suite is worth what it notices: every mechanism, broken on purpose in each place by itself, fails it. */

import type { Law } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { exhaustion } from './checks/channel.ts';
import { type Check, casesOf } from './checks/check.ts';
import { numberChecks, unbiased as unbiasedNumber } from './checks/numbers.ts';
import { shareChecks, unbiased } from './checks/shares.ts';
import { estimates, scores, supports } from './faults/estimators.ts';
import { broken, type Fault } from './faults/fault.ts';
import { codecs, misstated } from './faults/laws.ts';
import { offByOne, otherRandomizers, runsAnother } from './faults/randomizers.ts';
import { leavesOf } from './leaves.ts';
import type { Specimen } from './specimens/specimen.ts';
import { numberSubjects, type Subject, shareSubjects } from './subject.ts';

/** The faults that any mechanism can have. */
const faultsOf = (subject: Subject, estimator: string): readonly Fault[] => [
  ...offByOne(subject),
  ...otherRandomizers(subject),
  ...misstated(subject),
  ...codecs(subject),
  ...estimates(subject, estimator),
];

const throws = (run: () => void): boolean => {
  try {
    run();
    return false;
  } catch {
    return true;
  }
};

/** Fails unless the check that is named throws for one of the laws at least. */
function expectCaught<L extends Law, S extends { readonly specimen: Specimen<L> }>(
  subject: S,
  { parts, caughtBy }: Fault<S>,
  checks: readonly Check<S, L>[],
): void {
  const cases = checks.filter(({ name }) => name === caughtBy).flatMap((check) => casesOf<L, S>(broken(subject, parts), check));
  expect(
    cases.some(({ run }) => throws(run)),
    `a check that notices among the ${cases.length} of "${caughtBy}"`,
  ).toBe(true);
}

describe.each(shareSubjects)('%s fails when', (_name, subject) => {
  const faults = [...(faultsOf(subject as unknown as Subject, unbiased.name) as Fault<typeof subject>[]), ...supports(subject)];
  for (const fault of faults) test(fault.name, () => expectCaught(subject, fault, shareChecks));
});

describe.each(numberSubjects)('%s fails when', (_name, subject) => {
  const faults = [...(faultsOf(subject as unknown as Subject, unbiasedNumber.name) as Fault<typeof subject>[]), ...scores(subject)];
  for (const fault of faults) test(fault.name, () => expectCaught(subject, fault, numberChecks));
});

test.each([...shareSubjects, ...numberSubjects])('%s passes when an integer of its randomizer is replaced by itself', (_name, subject) => {
  const whole = subject as unknown as Subject;
  const [small] = whole.specimen.small as [Specimen<Law>['small'][number]];
  for (const [path, value] of leavesOf(small[0])) {
    const same = broken(whole, { specimen: { ...runsAnother(whole.specimen, path, value), small: [small] } });
    for (const { run } of casesOf(same, exhaustion)) run();
  }
});
