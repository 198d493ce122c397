/** A string from an unknown set, found by the collector without a list of candidates. */

import { MOST_BYTES, prefixHashingLaw } from '../mechanisms/prefix-hashing.ts';
import { assertAsk } from '../schema/asks.ts';
import { optional, type Rule, rule } from '../schema/rules.ts';
import type { QuestionKind } from './kind.ts';
import type { Ask, Named, Question } from './question.ts';
import { textAnswering } from './text.ts';

/** The settings of a `discover` question. */
export interface DiscoverAsk extends Omit<Ask<Named, string>, 'mechanism'> {
  /** The most bytes of a string as UTF-8, 16 by default. Longer strings are cut off there. */
  readonly longest?: number;
}

/** The most bytes of a string, unless a question says otherwise. */
export const DEFAULT_LONGEST = 16;

/** Its fields in a document. */
export interface DiscoverFields {
  readonly longest: number;
}

/**
 * Asks for a string. The collector finds the frequent ones without a list. A string is taken as it is, as UTF-8, and cut off after `longest`
 * bytes. Upper and lower case differ.
 */
export function discover(ask: DiscoverAsk): Question<string> {
  assertAsk('discover(ask)', ask);
  const { longest = DEFAULT_LONGEST } = ask;
  return {
    ...textAnswering({}),
    type: 'discover',
    ask,
    fields: { longest },
    law: (_size, epsilon) => prefixHashingLaw(longest, epsilon),
  };
}

const isLength = (): Rule =>
  rule(`a whole number of bytes from 1 to ${MOST_BYTES}`, (bytes: number) => Number.isInteger(bytes) && bytes > 0 && bytes <= MOST_BYTES);

export const discoverKind: QuestionKind<DiscoverFields> = {
  rules: () => ({
    longest: isLength(),
    // A stored symbol's level and cohort would name the device in all its reports, and tell no more than one report (docs/discovery.md).
    permanent: optional(
      rule('no permanence of strings that are to be discovered: ask once an epoch, as every: "year", with the ε of the epoch', () => false),
    ),
  }),
  answers: () => undefined,
  takes: ({ longest }) => `a string, cut off after ${longest} bytes`,
  keeps: (before, after) => before.longest === after.longest,
  estimates: 'shares',
  only: 'prefix-hashing',
};
