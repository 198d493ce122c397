/** The additional requirements for a mechanism of shares: the stated support, and estimates of every answer. */

import type { ShareLaw } from '@murmuration/shared';
import { expect } from 'vitest';
import type { Tallies } from '#collector/estimation/tally.ts';
import { range } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { cellChances, expectSupport, expectUnbiased, supportOf } from '../../proofs/estimator.ts';
import { addSupportsIn } from '../specimens.ts';
import type { ShareSubject } from '../subject.ts';
import { channelChecks, reportRows, reportsAbout, said, symbolRows, talliesOf } from './channel.ts';
import type { Check } from './check.ts';
import { expectErrors } from './errors.ts';

/** The inputs that a report supports, by the definition. */
const supportedBy =
  (subject: ShareSubject, law: ShareLaw) =>
  (report: string): readonly number[] => {
    const supports = addSupportsIn(law, talliesOf(subject, law, [report]));
    return range(subject.inputs(law)).filter((input) => supports[input] === 1);
  };

export const support: Check<ShareSubject, ShareLaw> = {
  name: 'has the stated support, of a report and of a stored symbol',
  of: ['laws'],
  run: (subject, law, T) => {
    const chances = (rows: readonly Distribution[]) =>
      supportOf(rows.map((row) => cellChances(row, supportedBy(subject, law), subject.inputs(law))));
    expectSupport(subject.mechanism.support(law), chances(reportRows(subject, law, T)));
    expectSupport(subject.mechanism.support(law, 'permanent'), chances(symbolRows(subject, law, T)));
  },
};

/** So many reports have too many collections of three. */
const MANY = 32;

export const unbiased: Check<ShareSubject, ShareLaw> = {
  name: 'has an estimator without bias, of the stated variance, whose error bars are of that variance',
  of: ['laws'],
  run: (subject, law, T) => {
    const { isAbout, inPart } = subject.specimen;
    const rows = reportRows(subject, law, T);
    const population = (rows[0] as Distribution).size > MANY ? [1, 0] : [1, 0, 1];
    expectUnbiased(rows, supportedBy(subject, law), population, subject.mechanism.support(law), {
      shipped: (reports) => subject.estimates(law, talliesOf(subject, law, reports)),
      isAbout: isAbout && ((report, input) => isAbout(law, said(subject, law, report).cohort, input)),
      inPart,
    });
  },
};

export const supports: Check<ShareSubject, ShareLaw> = {
  name: 'has supports that are the sums of their cells',
  of: ['large'],
  run: (subject, law) => {
    const { cohorts, cells: size } = subject.mechanism.shape(law);
    const tallies = new Map(
      range(Math.min(cohorts, 3)).map((cohort) => [
        cohort,
        { reports: 1000, cells: Float64Array.from(range(size), (cell) => (cell * cell * 31 + cohort * 17) % 1000) },
      ]),
    );
    const found = subject.supports(law, tallies);
    expect(found.reports).toBe(1000 * tallies.size);
    expect([...found.cells]).toEqual([...addSupportsIn(law, tallies)]);
  },
};

/**
 * The variance of an input's share, given how many of all reports are about it: reports of that many devices, drawn without replacement.
 */
function varianceOf(subject: ShareSubject, law: ShareLaw, input: number, truth: number, tallies: Tallies): number {
  const { cohorts } = subject.mechanism.shape(law);
  const { isAbout = () => true } = subject.specimen;
  const part = range(cohorts).filter((cohort) => isAbout(law, cohort, input)).length / cohorts;
  const { p, q } = subject.mechanism.support(law);
  const [own, other] = [p / part, q / part];
  const reports = [...tallies.values()].reduce((total, tally) => total + tally.reports, 0);
  const drawn = reportsAbout(subject, law, tallies, input);
  const noise = (truth * own * (1 - own) + (1 - truth) * other * (1 - other)) / (own - other) ** 2;
  return (noise + (truth * (1 - truth) * (reports - drawn)) / (reports - 1)) / drawn;
}

const errors: Check<ShareSubject, ShareLaw> = {
  name: 'errs as its variance says, and its intervals cover',
  of: ['large'],
  run: (subject, law, _T, effort) => {
    const size = subject.inputs(law);
    const truth = 0.2;
    expectErrors(subject, law, effort, (round, reports) => {
      const row = round % size;
      const inputs = range(reports).map((i) => (i < truth * reports ? row : (row + 1 + (i % (size - 1))) % size));
      return { inputs, row, truth, variance: (tallies) => varianceOf(subject, law, row, truth, tallies) };
    });
  },
};

/** The requirements for a mechanism of shares. */
export const shareChecks: readonly Check<ShareSubject, ShareLaw>[] = [...channelChecks<ShareLaw>(), support, unbiased, supports, errors];
