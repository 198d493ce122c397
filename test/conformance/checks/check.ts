/** A check is a plain function that throws, so that the suite can run it on production code and the mutation test on broken code. */

import { type Law, MODULUS } from '@murmuration/shared';
import type { Specimen } from '../specimens/specimen.ts';

/** One requirement for a mechanism, checked for each of its laws over words below T. */
export interface Check<S, L = Law> {
  readonly name: string;
  /** Which laws of the specimen it is run for. */
  readonly of: readonly ('laws' | 'small' | 'large')[];
  /** `effort` multiplies the number of random trials. */
  readonly run: (subject: S, law: L, T: number, effort: number) => void;
}

/** A check for one law. */
export interface Case {
  readonly name: string;
  readonly run: () => void;
}

/** A check for each law to which it applies. */
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
