/** A check is a plain function that throws, so that the suite runs it on what ships and the mutation test on what is broken. */

import { type Law, MODULUS } from '@murmuration/shared';
import type { Specimen } from '../specimens/specimen.ts';

/** One thing that a mechanism owes, asked of each of its laws over words below T. */
export interface Check<S, L = Law> {
  readonly name: string;
  /** Which laws of the specimen. */
  readonly of: readonly ('laws' | 'small' | 'large')[];
  /** `effort` multiplies the trials of what is drawn at random. */
  readonly run: (subject: S, law: L, T: number, effort: number) => void;
}

/** A check of one law. */
export interface Case {
  readonly name: string;
  readonly run: () => void;
}

/** A check of each law that it is for. */
export function casesOf<L extends Law, S extends { readonly specimen: Specimen<L> }>(
  subject: S,
  { name, of, run }: Check<S, L>,
  effort = 1,
): readonly Case[] {
  const { laws, small, large } = subject.specimen;
  const over = (each: readonly L[]) => each.map((law) => [law, MODULUS] as const);
  const sets = { laws: over(laws), small, large: over(large) };
  return of.flatMap((set) =>
    sets[set].map(([law, T]) => ({ name: `${name}: ${JSON.stringify(law)}`, run: () => run(subject, law, T, effort) })),
  );
}
