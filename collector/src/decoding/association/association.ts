/**
 * How the answers of a list go with strings: the shares of pairs, both marginals with their error bars, and the test of independence. One
 * report says one pair, through a law of strings (fit.ts has the estimator, independence.ts the test).
 *
 * Marginals are sums of the table, so their variances are sums of its covariance. A list's answers are summed over the strings that are
 * found only: what people with other strings answered is hashed together with these strings, and no tally can tell it.
 */

import type { StringHash, StringLaw } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import type { Estimate } from '../../estimation/estimate.ts';
import { type Drawn, evidenceOf } from './evidence.ts';
import { amongThese } from './fit.ts';
import { independenceOf } from './independence.ts';
import { above, outstandingOf } from './outstanding.ts';
import { placesOf } from './pairs.ts';
import { screen, sharesOf } from './screen.ts';
import { intervalBy, type Pair, sumsOf } from './sums.ts';

/** The level of the false discovery rate at which strings are found, and that of the test before pairs are named. */
const LEVEL = 0.05;

/** A string, with its pairs in the order of the list's answers. */
export interface AssociatedString {
  readonly share: Estimate;
  /** That it is absent. */
  readonly pValue: number;
  /** Whether it is among the found ones: 5 % of these are expected to be absent (Benjamini and Hochberg 1995). */
  readonly isFound: boolean;
  readonly pairs: readonly Pair[];
}

/** A pair that is more or less frequent than with independence. */
interface Outstanding {
  readonly string: number;
  readonly answer: number;
  readonly isMore: boolean;
}

/** The strings that are found together. */
export interface Found {
  readonly share: Estimate;
  readonly answers: readonly Required<Pair>[];
}

/** What a tally says of strings and a list. */
export interface Association {
  readonly strings: readonly AssociatedString[];
  /** Undefined where no string is found. */
  readonly found: Found | undefined;
  /** The p-value of independence; undefined where no string is clear enough to test it. */
  readonly independence: number | undefined;
  /** Pairs that stand out when all are tested together (Holm, 5 %), clearest first. Empty unless independence is rejected. */
  readonly outstanding: readonly Outstanding[];
}

/** The numbers that Benjamini and Hochberg's procedure takes at a level. */
function discoveries(pValues: readonly number[]): (pValue: number) => boolean {
  const sorted = [...pValues].sort((a, b) => a - b);
  const last = sorted.findLastIndex((p, i) => p <= (LEVEL * (i + 1)) / sorted.length);
  return (p) => last >= 0 && p <= (sorted[last] as number);
}

/**
 * The association of strings and a list.
 *
 * @param texts for each string, the hashes of its pairs with the list's answers
 * @param isAmongReports whether error bars are about the reporting people alone; tests are always about the population
 */
export function associationOf(
  law: StringLaw,
  input: Drawn,
  texts: readonly (readonly StringHash[])[],
  isAmongReports: boolean,
): Association {
  const evidence = evidenceOf(law, input);
  if (evidence === undefined || texts.length === 0) return { strings: [], found: undefined, independence: undefined, outstanding: [] };
  const places = texts.map((pairs) => placesOf(evidence, pairs));
  const screened = screen(evidence, places);
  const { strings: rows, covariance } = sharesOf(evidence, places, screened);
  const joint = { strings: screened.strings, covariance };
  const test = independenceOf(rows, joint);
  const pValues = rows.map(({ shares, covariance: own }) => {
    const scores = [...shares].map((share, l) => share / Math.sqrt(own.get(l, l)));
    scores.push(shares.reduce((sum, share) => sum + share, 0) / Math.sqrt(own.sum()));
    return Math.min(1, scores.length * above(Math.max(...scores)));
  });
  const isDiscovery = discoveries(pValues);
  const found = screened.strings.filter((s) => isDiscovery(pValues[s] as number));
  const width = (texts[0] as readonly StringHash[]).length;
  const interval = intervalBy(evidence, isAmongReports ? 0 : 1 / evidence.people);
  const shown = (own: Matrix, shares: Float64Array): Matrix => (isAmongReports ? amongThese(evidence, own.clone(), shares) : own);
  const pairs = Array.from({ length: width }, (_, l) => l);
  const strings = rows.map(({ shares, covariance: own }, s): AssociatedString => {
    const { share, parts } = sumsOf(
      [...shares],
      shown(own, shares),
      pairs.map((l) => [l]),
      interval,
    );
    const isFound = found.includes(s);
    return { share, pValue: pValues[s] as number, isFound, pairs: isFound ? parts : parts.map((part) => ({ share: part.share })) };
  });
  if (found.length === 0) return { strings, found: undefined, independence: test?.pValue, outstanding: [] };
  const at = found.flatMap((s) => pairs.map((l) => joint.strings.indexOf(s) * width + l));
  const table = found.flatMap((s) => [...(rows[s] as (typeof rows)[number]).shares]);
  const own = covariance.selection(at, at);
  const sums = sumsOf(
    table,
    shown(own, Float64Array.from(table)),
    pairs.map((l) => found.map((_, i) => i * width + l)),
    interval,
  );
  const isRejected = test !== undefined && test.pValue < LEVEL && found.length > 1;
  const outstanding = isRejected ? outstandingOf(Matrix.from1DArray(found.length, width, table), own) : [];
  return {
    strings,
    found: { share: sums.share, answers: sums.parts },
    independence: test?.pValue,
    outstanding: outstanding.map(({ at, isMore }) => ({ string: found[Math.floor(at / width)] as number, answer: at % width, isMore })),
  };
}
