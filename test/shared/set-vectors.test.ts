/** The vectors of sets, of the exponential mechanism, of dBitFlip and of one bit, made by an independent script from docs/format.md, hold for the shipped code. */

import { dBitFlipLaw, exponentialLaw, type Law, oneBitLaw, privSetLaw, setLaw } from '@murmuration/shared';
import { type LawCase, readVectors, testLaws, testRefused } from './law-vectors.ts';

interface Case extends LawCase {
  readonly table: string;
  readonly size: number;
  readonly atMost: number;
  readonly subset: number;
  readonly utility: readonly (readonly number[])[];
  readonly bits: number;
  readonly permanent: number;
  readonly epsilon: number;
}

const { refused = [], ...tables } = readVectors<{ readonly [table: string]: readonly Case[] }>('sets');

const derive: { readonly [table: string]: (of: Case) => Law } = {
  privset: ({ size, atMost, subset, epsilon }) => privSetLaw(size, atMost, subset, epsilon),
  chosen: ({ size, atMost, epsilon }) => setLaw(size, atMost, epsilon),
  dBitFlip: ({ size, bits, epsilon, permanent }) => dBitFlipLaw(size, bits, epsilon, permanent),
  oneBit: ({ epsilon, permanent }) => oneBitLaw(epsilon, permanent),
  exponential: ({ utility, epsilon }) => exponentialLaw(utility, epsilon),
};

testLaws(tables, derive);
testRefused(refused, (of) => derive[of.table]?.(of));
