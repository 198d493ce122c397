/** Faulty estimators: a wrong sign, a bias, or error bars that are too short; supports and scores that belong to another. */

import type { Law, NumberLaw, ShareLaw } from '@murmuration/shared';
import type { Estimate } from '#collector/estimation/estimate.ts';
import type { Scores } from '#collector/estimation/number.ts';
import { pureEstimates } from '#collector/estimation/pure.ts';
import { unbiased as unbiasedMatrix } from '../checks/matrix.ts';
import { rounding, scores as statesScores } from '../checks/numbers.ts';
import { support as statesSupport, supports as sumsSupports, unbiased } from '../checks/shares.ts';
import type { NumberSpecimen, Specimen } from '../specimens/specimen.ts';
import { isPermanent, type MatrixLaw } from '../specimens.ts';
import type { MatrixSubject, NumberSubject, ShareSubject, Subject } from '../subject.ts';
import { type Fault, inLaw } from './fault.ts';

const rows: { readonly [name: string]: (row: Estimate) => Estimate } = {
  'the sign of the estimate is turned': ({ estimate, standardError, low, high }) => ({
    estimate: -estimate,
    standardError,
    low: -high,
    high: -low,
  }),
  'the estimate is 1 % too large': (row) => ({ ...row, estimate: row.estimate * 1.01 }),
  'the estimate is clipped at 0': (row) => ({ ...row, estimate: Math.max(0, row.estimate) }),
  'the standard error is 1 % too small': (row) => ({ ...row, standardError: row.standardError * 0.99 }),
  'the interval is 1 % too short': (row) => ({ ...row, high: row.high - (row.high - row.low) / 100 }),
};

/** Estimates with a fault, in each law separately. */
export const estimates = (subject: Subject, caughtBy: string): readonly Fault[] =>
  Object.entries(rows).flatMap(([kind, wrong]) =>
    subject.specimen.laws.map((law) => ({
      kind,
      detail: inLaw(law),
      caughtBy,
      parts: { specimen: { laws: [law] }, estimates: (of, tallies) => subject.estimates(of, tallies).map(wrong) },
    })),
  );

/** Supports with a fault. */
export function supports({ specimen, mechanism: { support }, supports: sums }: ShareSubject): readonly Fault<ShareSubject>[] {
  const onAverage: Fault<ShareSubject> = {
    kind: 'all reports are divided by, not those that are about an answer',
    caughtBy: unbiased.name,
    parts: {
      estimates: (law, tallies) => pureEstimates(sums(law as ShareLaw, tallies), support(law as ShareLaw), support(law as ShareLaw), 1),
    },
  };
  const permanent = specimen.laws.filter(isPermanent);
  const fault = (kind: string, wrong: typeof support, laws: readonly Law[] = specimen.laws): Fault<ShareSubject> => ({
    kind,
    caughtBy: statesSupport.name,
    parts: { specimen: { laws }, mechanism: { support: wrong } },
  });
  const swapped: typeof support = (law, stage) => ({ p: support(law, stage).q, q: support(law, stage).p });
  const near: typeof support = (law, stage) => ({ ...support(law, stage), q: support(law, stage).q * (1 + 1e-9) });
  const next = (law: ShareLaw, tallies: Parameters<typeof sums>[1]) => {
    const { reports, cells } = sums(law, tallies);
    return { reports, cells: cells.map((_, answer) => cells[(answer + 1) % cells.length] as number) };
  };
  return [
    fault('p and q are swapped', swapped),
    fault('q is misstated by a billionth', near),
    ...(permanent.length > 0 ? [fault('a stored symbol has the support of a report', (law) => support(law), permanent)] : []),
    ...(specimen.isAbout ? [onAverage] : []),
    { kind: 'the support of each answer is the next one’s', caughtBy: sumsSupports.name, parts: { supports: next } },
  ];
}

/** Estimates of all inputs together with a fault: those of another input, or shrunk towards their mean. */
export function matrices({ estimates: rowsOf }: MatrixSubject): readonly Fault<MatrixSubject>[] {
  const fault = (kind: string, wrong: (found: readonly Estimate[]) => readonly Estimate[]): Fault<MatrixSubject> => ({
    kind,
    caughtBy: unbiasedMatrix.name,
    parts: { estimates: (law, tallies) => wrong(rowsOf(law as MatrixLaw, tallies)) },
  });
  return [
    fault('each estimate is the next one’s', (found) => [...found.slice(1), ...found.slice(0, 1)]),
    fault('estimates are drawn to one half by 1 %', (found) => found.map((row) => ({ ...row, estimate: 0.99 * row.estimate + 0.005 }))),
  ];
}

/** Scores and rounding with a fault. */
export function scores({ specimen, scores: scoresOf }: NumberSubject): readonly Fault<NumberSubject>[] {
  const { between, steps } = specimen;
  const fault = (kind: string, wrong: (found: Scores) => Partial<Scores>): Fault<NumberSubject> => ({
    kind,
    caughtBy: statesScores.name,
    parts: { scores: (law) => ({ ...scoresOf(law), ...wrong(scoresOf(law)) }) },
  });
  const late: NumberSpecimen<NumberLaw>['between'] =
    between && ((law, place, coins, T) => between(law, place + 1 / (T * steps(law)), coins, T));
  const words: Fault<NumberSubject> = {
    kind: 'one word more rounds up',
    caughtBy: rounding.name,
    parts: { specimen: { between: late } as Partial<Specimen<Law>> },
  };
  return [
    fault('scores are mirrored', ({ values }) => ({ values: Array.from(values, (value) => 1 - value) })),
    fault('the variance is misstated by 1 %', ({ varianceAt }) => ({ varianceAt: (place) => 1.01 * varianceAt(place) })),
    fault('the worst variance is misstated by 2 %', ({ worst }) => ({ worst: 0.98 * worst })),
    ...(between ? [words] : []),
  ];
}
