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
/** Those that are looked for. */
const listed = (value: number): string => (value === 1 ? 'the one string on the list' : `the ${count(value)} strings on the list`);

/** A sentence or two. */
export function inWords(outcome: DecodeOutcome, { reports, minimum, fdr, found, candidates }: Numbers): string {
  switch (outcome) {
    case 'too-few-reports':
      return `${count(reports)} of ${count(Math.max(1, minimum))} reports: too few to say anything.`;
    case 'no-candidates':
      return 'There is no list of strings to look for.';
    case 'not-enough-data':
      return 'Not enough reports: even a string that every report has could not be told apart from chance.';
    case 'overloaded':
      return `More strings are common than these reports can tell apart. ${found === 0 ? 'None' : `Only ${count(found)}`} of ${listed(candidates)} stood out, and the errors are rough.`;
    case 'decoded':
      return found === 0
        ? `None of ${listed(candidates)} can be told apart from chance.`
        : `${count(found)} of ${listed(candidates)} ${found === 1 ? 'is' : 'are'} told apart from chance. On average, at most ${percent(fdr)} of those found are not there.`;
  }
}
