/** Types of a decode of a string metric: its answer for readers, and the messages to and from its thread. */

import type { CellMap, Decoded } from '../decoding/decode/evidence.ts';
import type { Step } from '../decoding/discovery/select.ts';
import type { Estimate } from '../estimation/estimate.ts';
import type { CandidateAnswer } from '../estimation/questions.ts';
import type { Watch } from '../estimation/watch/watch.ts';
import type { About, Truth } from './estimates.ts';
import type { Selected } from './tasks.ts';
import type { Verdict, Verdicts } from './verdict.ts';

/** `too-few-reports`: fewer than the minimum. `no-candidates`: there is no list of strings to look for. The others are the decoder's. */
export type DecodeOutcome = Decoded['outcome'] | 'too-few-reports' | 'no-candidates';

/** A candidate, or a string that is found without a list. Shares are of the reports. */
export interface DecodedString extends Estimate {
  readonly answer: CandidateAnswer['answer'];
  readonly label: string;
  /** True if it is told apart from chance. Only then do the other numbers say something about this string. */
  readonly isFound: boolean;
  /** The middle of what the share can be, given that the string was found. For others, the estimate within 0 and 1. */
  readonly typical: number;
  /** The probability that a string that nobody has looks as strong; without a list, a bound on that of all possible strings together. */
  readonly pValue: number;
  /** The least false discovery rate at which the string is found; 1 if it is at none. */
  readonly qValue: number;
  /** Set where the string may go on, because no more bytes of it are sent. */
  readonly isCut?: true;
  /** The true share, known only in demonstrations. */
  readonly truth?: number;
}

/** A string's share of the whole distribution. */
interface TypicalShare extends Pick<DecodedString, 'answer' | 'label'> {
  readonly share: number;
}

/** The whole distribution. All shares and `rest` and `other` add up to 1. */
export interface WholeDistribution {
  /** The largest shares. */
  readonly shares: readonly TypicalShare[];
  /** The share of all other candidates together. */
  readonly rest: number;
  /** Remainder of these shares: strings that are no candidates, and whatever is too rare to place. */
  readonly other: number;
}

/** A decode, without its strings. */
export interface MetricStrings extends About {
  /** The share of false strings among the found ones, on average. */
  readonly fdr: number;
  /** How many strings are listed. For a metric without a list, those that are wanted besides the found ones. */
  readonly candidates: number;
  readonly found: number;
  readonly outcome: DecodeOutcome;
  /** The outcome in plain words. */
  readonly meaning: string;
  /** Candidates that no report tells from another one. They are never found. */
  readonly indistinguishable: number;
  /** The share of the reports that come from none of the found strings. Absent where nothing can be said. */
  readonly unexplained?: Estimate;
  /** A string with this share is found half of the time. Absent where nothing can be said. */
  readonly detectable?: number;
  /** Absent where nothing can be said. */
  readonly distribution?: WholeDistribution;
  /**
   * On the found strings, among all that are listed. Absent where none is found, or all of them may be 0 at the level of a verdict. What is
   * found is tested for one look.
   */
  readonly verdict?: Verdict;
  readonly watch: Watch;
}

/** A decode of one selection. */
export interface DecodeTask {
  readonly of: readonly [Selected];
  readonly settings: {
    readonly minimum: number;
    readonly fdr: number;
    /** True if candidates that are not found are wanted, too. */
    readonly all: boolean;
    /** How verdicts are given. Default: there are none. */
    readonly verdicts?: Verdicts | undefined;
    /** Without candidates, those of the collector are looked for. */
    readonly candidates?: readonly string[];
  };
  /** The true shares by label, known only in demonstrations. */
  readonly shares?: ReturnType<Truth>;
}

/**
 * How far a decode is. It waits for others, reads the tallies, hashes the candidates unless they are known, and decodes, in steps of which
 * nobody knows how many there will be. Without a list it searches, a few times: each search looks at prefixes of more and more bytes, up to
 * `longest`, and keeps some.
 */
export type Progress =
  | { readonly stage: 'waiting' | 'reading' }
  | { readonly stage: 'hashing'; readonly done: number; readonly candidates: number }
  | { readonly stage: 'decoding'; readonly candidates: number; readonly steps: number }
  | ({ readonly stage: 'searching' } & Step);

/** A task on its way to the thread. */
export interface DecodeOrder {
  readonly id: number;
  readonly task: DecodeTask;
  /** The map of its candidates, if it is known. */
  readonly map: CellMap | undefined;
}

/** Messages of the thread before its reply. */
export type DecodeNote = { readonly id: number } & ({ readonly progress: Progress } | { readonly map: CellMap });
