/**
 * A specimen of every mechanism: its laws, its shipped randomizers, and its channel and encoding as the definition writes
 * them. A mechanism without one does not compile.
 */

import { type Law, mechanismOf, type NumberLaw, type ShareLaw } from '@murmuration/shared';
import { supportsOf } from '#collector/estimators/estimator.ts';
import { addSupports } from '#collector/estimators/supports.ts';
import type { Tallies, Tally } from '#collector/store/store.ts';
import { countMeanSketch } from './specimens/count-mean-sketch.ts';
import { dBitFlip } from './specimens/d-bit-flip.ts';
import { exponential } from './specimens/exponential.ts';
import { geometric } from './specimens/geometric.ts';
import { hadamard } from './specimens/hadamard.ts';
import { hadamardCountMeanSketch } from './specimens/hadamard-count-mean-sketch.ts';
import { hierarchical } from './specimens/hierarchical.ts';
import { hybrid } from './specimens/hybrid.ts';
import { kAry } from './specimens/k-ary.ts';
import { laplace } from './specimens/laplace.ts';
import { localHashing } from './specimens/local-hashing.ts';
import { oneBit } from './specimens/one-bit.ts';
import { piecewise } from './specimens/piecewise.ts';
import { privset } from './specimens/privset.ts';
import { projective } from './specimens/projective.ts';
import { rappor } from './specimens/rappor.ts';
import { scored } from './specimens/scored.ts';
import type { NumberSpecimen, Specimen } from './specimens/specimen.ts';
import { squareWave } from './specimens/square-wave.ts';
import { stringHashing } from './specimens/string-hashing.ts';
import { subset } from './specimens/subset.ts';
import { unary } from './specimens/unary.ts';

type Specimens = { readonly [M in ShareLaw['mechanism']]: Specimen<Extract<ShareLaw, { mechanism: M }>> };

export const specimens: Specimens = {
  'k-ary': kAry,
  subset,
  unary,
  'local-hashing': localHashing,
  rappor,
  'string-hashing': stringHashing,
  privset,
  'd-bit-flip': dBitFlip,
  hadamard,
  projective,
  'count-mean-sketch': countMeanSketch,
  'hadamard-count-mean-sketch': hadamardCountMeanSketch,
};

type NumberSpecimens = { readonly [M in NumberLaw['mechanism']]: NumberSpecimen<Extract<NumberLaw, { mechanism: M }>> };

export const numberSpecimens: NumberSpecimens = { piecewise, geometric, 'one-bit': oneBit, hybrid, laplace, scored };

/** The law of a mechanism whose reports tell of all inputs together: of a distribution, or of the best of options. */
export type MatrixLaw = Exclude<Law, ShareLaw | NumberLaw>;

type MatrixSpecimens = { readonly [M in MatrixLaw['mechanism']]: Specimen<Extract<MatrixLaw, { mechanism: M }>> };

export const matrixSpecimens: MatrixSpecimens = { 'square-wave': squareWave, hierarchical, exponential };

/** Whether a law has a second stage. */
export const isPermanent = (law: object): boolean => (law as { readonly irr?: object }).irr !== undefined;

/** How many inputs a law has: of a list its answers, of strings the cells of the one cohort that they are proved in. */
export const inputsOf = (law: ShareLaw): number => ('size' in law ? law.size : mechanismOf(law).shape(law).cells);

/** How many reports of a tally support each input, as the collector finds it. */
export const supportsIn = (law: ShareLaw, tallies: Tallies): Tally =>
  'size' in law ? supportsOf(law, tallies) : (tallies.get(0) as Tally);

/** The same by the definition. */
export const addSupportsIn = (law: ShareLaw, tallies: Tallies): Float64Array =>
  'size' in law ? addSupports(law, tallies) : (tallies.get(0) as Tally).cells;
