/** Tests the suite itself: a mechanism that is deliberately broken must fail the check that the fault names. */

import type { Law } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { exhaustion } from './checks/channel.ts';
import { casesOf } from './checks/check.ts';
import { broken, type Fault } from './faults/fault.ts';
import { runsAnother } from './faults/randomizers.ts';
import { leavesOf } from './leaves.ts';
import type { Specimen } from './specimens/specimen.ts';
import { subjects } from './subjects.ts';

const throws = (run: () => void): boolean => {
  try {
    run();
    return false;
  } catch {
    return true;
  }
};

/** Checks that every mechanism fails with each of the chosen faults. */
export function expectNoticed(chosen: (faults: readonly Fault[]) => readonly Fault[]): void {
  describe.each(subjects)('$name fails when', ({ subject, checks, faults }) => {
    for (const { kind, detail = '', parts, caughtBy } of chosen(faults)) {
      test(`${kind} ${detail}`.trim(), () => {
        const cases = checks.filter((check) => check.name === caughtBy).flatMap((check) => casesOf(broken(subject, parts), check));
        expect(
          cases.some(({ run }) => throws(run)),
          `a check that notices among the ${cases.length} of "${caughtBy}"`,
        ).toBe(true);
      });
    }
  });

  test.each(subjects)('$name passes when an integer of its randomizer is replaced by itself', ({ subject }) => {
    const [small] = subject.specimen.small as [Specimen<Law>['small'][number]];
    for (const [path, value] of leavesOf(small[0])) {
      const same = broken(subject, { specimen: { ...runsAnother(subject.specimen, path, value), small: [small] } });
      for (const { run } of casesOf(same, exhaustion)) run();
    }
  });
}
