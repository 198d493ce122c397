/** The subject of the checks: a production mechanism, or one that faults/ has broken in one place. */

import {
  type Channel,
  isDistributionLaw,
  type Law,
  type Mechanism,
  mechanismOf,
  type NumberLaw,
  type PrefixLaw,
  type ShareLaw,
} from '@murmuration/shared';
import { interval, sharesBelow } from '#collector/estimation/distribution.ts';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { distributionOf, estimatesOf, scoresOf } from '#collector/estimation/mechanisms/table.ts';
import type { Scores } from '#collector/estimation/number.ts';
import { pureEstimates } from '#collector/estimation/pure.ts';
import type { Tallies, Tally } from '#collector/estimation/tally.ts';
import { range } from '../proofs/channel.ts';
import type { NumberSpecimen, Specimen } from './specimens/specimen.ts';
import { inputsIn, type MatrixLaw, matrixSpecimens, numberSpecimens, prefixSpecimens, specimens, supportsIn } from './specimens.ts';

/** The parts that every mechanism has. */
export interface Subject<L extends Law = Law> {
  readonly specimen: Specimen<L>;
  readonly mechanism: Channel<L>;
  /** The number of inputs of a law. */
  readonly inputs: (law: L) => number;
  readonly estimates: (law: L, tallies: Tallies) => readonly Estimate[];
  /** Set when estimates are means over all reports only if all cohorts have equally many, because each cohort is estimated separately. */
  readonly evenly?: boolean;
}

/** A mechanism whose reports support answers. */
export interface ShareSubject extends Subject<ShareLaw> {
  readonly mechanism: Mechanism<ShareLaw>;
  readonly supports: (law: ShareLaw, tallies: Tallies) => Tally;
}

/** A mechanism whose reports describe a number. */
export interface NumberSubject extends Subject<NumberLaw> {
  readonly specimen: NumberSpecimen<NumberLaw>;
  readonly scores: (law: NumberLaw) => Scores;
}

/** A mechanism whose reports describe all inputs together. */
export interface MatrixSubject extends Subject<MatrixLaw> {
  /** What is estimated, a row each: means over devices of a weight by input. */
  readonly weights: (law: MatrixLaw) => readonly (readonly number[])[];
}

const shipped = (law: Law, tallies: Tallies): readonly Estimate[] => estimatesOf(law, { tallies, perDevice: 1, candidates: [] });

const reportsIn = (tallies: Tallies): number => [...tallies.values()].reduce((sum, { reports }) => sum + reports, 0);

/** The mechanism of a specimen's laws. */
const mechanismFor = <L extends Law>({ laws: [law] }: Specimen<L>): unknown => mechanismOf(law as Law);

const shareSubject = (specimen: Specimen<ShareLaw>): ShareSubject => ({
  specimen,
  mechanism: mechanismFor(specimen) as Mechanism<ShareLaw>,
  inputs: inputsIn,
  supports: supportsIn,
  // Strings are tested on the cells of one cohort, before candidates are involved; sets without their dummies.
  estimates: (law, tallies) => {
    const { support } = mechanismOf(law);
    return 'size' in law
      ? shipped(law, tallies).slice(0, law.size)
      : pureEstimates(supportsIn(law, tallies), support(law), support(law), 1);
  },
});

/** Prefixes are tested on places, as those of a list on its answers. Tests of discovery test what strings are made of them. */
const prefixSubject = (specimen: Specimen<PrefixLaw>): ShareSubject => {
  const mechanism = mechanismFor(specimen) as unknown as Mechanism<ShareLaw>;
  return {
    specimen: specimen as unknown as Specimen<ShareLaw>,
    mechanism,
    inputs: inputsIn,
    supports: supportsIn,
    estimates: (law, tallies) => pureEstimates(supportsIn(law, tallies), mechanism.support(law), mechanism.support(law), 1),
  };
};

const numberSubject = (specimen: NumberSpecimen<NumberLaw>): NumberSubject => ({
  specimen,
  mechanism: mechanismFor(specimen) as Channel<NumberLaw>,
  inputs: (law) => specimen.steps(law) + 1,
  scores: scoresOf,
  // For all users, because a tally does not determine exactly how numbers differ among those who reported (the collector's noise.ts).
  estimates: (law, tallies) => estimatesOf(law, { tallies, perDevice: 1, candidates: [], people: reportsIn(tallies) }),
});

/** For a distribution: the cells, then the shares below each edge between them. For the best of options: the inputs. */
const matrixSubject = (specimen: Specimen<MatrixLaw>): MatrixSubject => ({
  specimen,
  mechanism: mechanismFor(specimen) as Channel<MatrixLaw>,
  inputs: inputsIn,
  evenly: true,
  weights: (law) => {
    const all = range(inputsIn(law));
    const edges = isDistributionLaw(law) ? all.slice(1) : [];
    return [...all.map((own) => all.map((x) => Number(x === own))), ...edges.map((edge) => all.map((x) => Number(x < edge)))];
  },
  estimates: (law, tallies) => {
    const found = isDistributionLaw(law) ? distributionOf(law, tallies) : undefined;
    return [...shipped(law, tallies), ...(found ? sharesBelow(found).slice(1, -1).map(interval) : [])];
  },
});

const each = <S, T>(table: object, make: (specimen: S) => T): readonly (readonly [name: string, subject: T])[] =>
  Object.entries(table).map(([name, specimen]) => [name, make(specimen as S)]);

/** The mechanisms by name: those of shares, those of numbers, and those whose reports describe all inputs together. */
export const shareSubjects: readonly (readonly [name: string, subject: ShareSubject])[] = [
  ...each(specimens, shareSubject),
  ...each(prefixSpecimens, prefixSubject),
];
export const numberSubjects: readonly (readonly [name: string, subject: NumberSubject])[] = each(numberSpecimens, numberSubject);
export const matrixSubjects: readonly (readonly [name: string, subject: MatrixSubject])[] = each(matrixSpecimens, matrixSubject);
