/** What is checked: a mechanism as it ships, or broken in one place by mutants.ts. */

import { type Channel, type Law, type Mechanism, mechanismOf, type NumberLaw, type ShareLaw } from '@murmuration/shared';
import type { Estimate } from '../../collector/src/estimators/estimate.ts';
import { estimatesOf, scoresOf } from '../../collector/src/estimators/estimator.ts';
import type { Scores } from '../../collector/src/estimators/number.ts';
import { pureEstimates } from '../../collector/src/estimators/pure.ts';
import type { Tallies, Tally } from '../../collector/src/store/store.ts';
import type { NumberSpecimen, Specimen } from './specimens/specimen.ts';
import { inputsOf, numberSpecimens, specimens, supportsIn } from './specimens.ts';

/** What every mechanism has. */
export interface Subject<L extends Law = Law> {
  readonly specimen: Specimen<L>;
  readonly mechanism: Channel<L>;
  /** How many inputs a law has. */
  readonly inputs: (law: L) => number;
  readonly estimates: (law: L, tallies: Tallies) => readonly Estimate[];
}

/** A mechanism whose reports support answers. */
export interface ShareSubject extends Subject<ShareLaw> {
  readonly mechanism: Mechanism<ShareLaw>;
  readonly supports: (law: ShareLaw, tallies: Tallies) => Tally;
}

/** A mechanism whose reports tell of a number. */
export interface NumberSubject extends Subject<NumberLaw> {
  readonly specimen: NumberSpecimen<NumberLaw>;
  readonly scores: (law: NumberLaw) => Scores;
}

const shipped = (law: Law, tallies: Tallies): readonly Estimate[] => estimatesOf(law, { tallies, perDevice: 1, candidates: [] });

/** The mechanism of a specimen's laws. */
const mechanismFor = <L extends Law>({ laws: [law] }: Specimen<L>): unknown => mechanismOf(law as Law);

const shareSubject = (specimen: Specimen<ShareLaw>): ShareSubject => ({
  specimen,
  mechanism: mechanismFor(specimen) as Mechanism<ShareLaw>,
  inputs: inputsOf,
  supports: supportsIn,
  // Strings are proved in the cells of one cohort, before candidates come into it; dBitFlip by its supports (its own proofs
  // have the estimator that knows how often each bucket was drawn), and sets without their dummies.
  estimates: (law, tallies) => {
    const { support } = mechanismOf(law);
    return 'size' in law && law.mechanism !== 'd-bit-flip'
      ? shipped(law, tallies).slice(0, law.size)
      : pureEstimates(supportsIn(law, tallies), support(law), support(law), 1);
  },
});

const numberSubject = (specimen: NumberSpecimen<NumberLaw>): NumberSubject => ({
  specimen,
  mechanism: mechanismFor(specimen) as Channel<NumberLaw>,
  inputs: (law) => specimen.steps(law) + 1,
  scores: scoresOf,
  estimates: shipped,
});

const each = <S, T>(table: object, make: (specimen: S) => T): readonly (readonly [name: string, subject: T])[] =>
  Object.entries(table).map(([name, specimen]) => [name, make(specimen as S)]);

/** The mechanisms of shares by name, and those of numbers. */
export const shareSubjects: readonly (readonly [name: string, subject: ShareSubject])[] = each(specimens, shareSubject);
export const numberSubjects: readonly (readonly [name: string, subject: NumberSubject])[] = each(numberSpecimens, numberSubject);
