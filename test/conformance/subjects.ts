/** Every mechanism in one list, each with its requirements and the faults that must be detected. */

import type { Law } from '@murmuration/shared';
import type { Check } from './checks/check.ts';
import { matrixChecks, unbiased as unbiasedMatrix } from './checks/matrix.ts';
import { numberChecks, unbiased as unbiasedNumber } from './checks/numbers.ts';
import { shareChecks, unbiased } from './checks/shares.ts';
import { estimates, matrices, scores, supports } from './faults/estimators.ts';
import type { Fault } from './faults/fault.ts';
import { codecs, misstated } from './faults/laws.ts';
import { offByOne, otherRandomizers, tellingDraws } from './faults/randomizers.ts';
import { matrixSubjects, numberSubjects, type Subject, shareSubjects } from './subject.ts';

/** A mechanism, its checks, and its faults. */
interface Entry {
  readonly name: string;
  readonly subject: Subject;
  readonly checks: readonly Check<Subject>[];
  readonly faults: readonly Fault[];
}

/** The faults that any mechanism can have. */
const faultsOf = (subject: Subject, estimator: string): readonly Fault[] => [
  ...offByOne(subject),
  ...otherRandomizers(subject),
  ...tellingDraws(subject),
  ...misstated(subject),
  ...codecs(subject),
  ...estimates(subject, estimator),
];

/** The mechanisms of one kind. Their specific checks and faults take subjects of that kind. */
const kind = <S, L extends Law>(
  subjects: readonly (readonly [name: string, subject: S])[],
  checks: readonly Check<S, L>[],
  estimator: Check<S, L>,
  more: (subject: S) => readonly Fault<S>[],
): readonly Entry[] =>
  subjects.map(([name, subject]) => ({
    name,
    subject: subject as unknown as Subject,
    checks: checks as unknown as readonly Check<Subject>[],
    faults: [...faultsOf(subject as unknown as Subject, estimator.name), ...(more(subject) as unknown as readonly Fault[])],
  }));

/** Every mechanism of the table. */
export const subjects: readonly Entry[] = [
  ...kind(shareSubjects, shareChecks, unbiased, supports),
  ...kind(numberSubjects, numberChecks, unbiasedNumber, scores),
  ...kind(matrixSubjects, matrixChecks, unbiasedMatrix, matrices),
];
