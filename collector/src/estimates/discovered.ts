/** The answers of a metric whose strings are discovered: those that were found, then the candidates that a reader asks for besides. */

import type { PrefixHashingLaw } from '@murmuration/shared';
import { discover, RATE } from '../discovery/discover.ts';
import type { Estimate } from '../estimators/estimate.ts';
import type { Tallies } from '../store/store.ts';

/** A string with its share. */
interface Found extends Estimate {
  readonly answer: string;
  readonly label: string;
  /** The least false discovery rate at which the string is reported; absent for candidates that were not found. */
  readonly qValue?: number;
  /** Set where the string may go on, because no more bytes are sent. */
  readonly isCut?: true;
}

/** What the strings together tell. */
export interface DiscoveryEstimates {
  /** The share of reports that none of the found strings explains. */
  readonly unexplained: number;
  /** The false discovery rate: of the found strings, nobody has this share on average at most. */
  readonly rate: number;
}

/**
 * The strings of a metric, in descending order of their shares, and what they tell.
 *
 * @param isSearched whether strings are looked for; otherwise only candidates are estimated
 */
export function discoveredRows(
  law: PrefixHashingLaw,
  tallies: Tallies,
  people: number,
  candidates: readonly string[],
  isSearched = true,
): { readonly answers: readonly Found[]; readonly discovery: DiscoveryEstimates } {
  const found = discover(law, tallies, { people, candidates, ...(!isSearched && { width: 0 }) });
  const strings = found.strings.map(({ text, isCut, ...rest }): Found => ({ answer: text, label: text, ...rest, ...(isCut && { isCut }) }));
  const known = new Set(strings.map(({ label }) => label));
  const others = candidates.flatMap((label, i): Found[] =>
    known.has(label) ? [] : [{ answer: label, label, ...(found.candidates[i] as Estimate) }],
  );
  return {
    answers: [...strings, ...others].sort((a, b) => b.estimate - a.estimate),
    discovery: { unexplained: found.unexplained, rate: RATE },
  };
}
