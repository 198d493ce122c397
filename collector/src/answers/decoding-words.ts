/** The outcome of a decode in plain words, for people who have not heard of any of this. */

import type { DecodeOutcome } from './decoded-strings.ts';

/** The numbers in the words. */
interface Numbers {
  readonly reports: number;
  readonly minimum: number;
  readonly fdr: number;
  readonly found: number;
  readonly candidates: number;
}

const count = (value: number): string => value.toLocaleString('en');
const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;
/** How a search without a list can end. */
export type SearchOutcome = Extract<DecodeOutcome, 'decoded' | 'too-few-reports' | 'not-enough-data'>;

/** Those that are looked for. */
const listed = (value: number): string => (value === 1 ? 'the one string on the list' : `the ${count(value)} strings on the list`);

/** Outcomes that do not depend on a list. */
function withoutList(outcome: 'too-few-reports' | 'not-enough-data', { reports, minimum }: Pick<Numbers, 'reports' | 'minimum'>): string {
  return outcome === 'too-few-reports'
    ? `${count(reports)} of ${count(Math.max(1, minimum))} reports: too few to say anything.`
    : 'Not enough reports: even a string that every report has could not be told apart from chance.';
}

/** A search without a list in a sentence or two. */
export function searchedInWords(outcome: SearchOutcome, numbers: Omit<Numbers, 'candidates'>): string {
  if (outcome !== 'decoded') return withoutList(outcome, numbers);
  const { found, fdr } = numbers;
  return found === 0
    ? 'No string is frequent enough to be told apart from chance yet.'
    : `${count(found)} ${found === 1 ? 'string is' : 'strings are'} told apart from chance, without a list. On average, at most ${percent(fdr)} of those found are not there.`;
}

/** A decode in a sentence or two. */
export function inWords(outcome: DecodeOutcome, { reports, minimum, fdr, found, candidates }: Numbers): string {
  switch (outcome) {
    case 'too-few-reports':
    case 'not-enough-data':
      return withoutList(outcome, { reports, minimum });
    case 'no-candidates':
      return 'There is no list of strings to look for.';
    case 'overloaded':
      return `More strings are common than these reports can tell apart. ${found === 0 ? 'None' : `Only ${count(found)}`} of ${listed(candidates)} stood out, and the errors are rough.`;
    case 'decoded':
      return found === 0
        ? `None of ${listed(candidates)} can be told apart from chance.`
        : `${count(found)} of ${listed(candidates)} ${found === 1 ? 'is' : 'are'} told apart from chance. On average, at most ${percent(fdr)} of those found are not there.`;
  }
}
