/**
 * The verdict on a metric's answers. The page puts it into words and says no more. It holds at every look (estimation/statistics/looks.ts) if
 * the selection only grows: its first day is the same at every look, and no day is left out. For other selections it is withheld, unless it
 * is asked for a single look.
 */

import { type MetricDocument, rangeOf } from '@murmuration/shared';
import type { Interval, People } from '../estimation/estimate.ts';
import { standingOf } from '../estimation/lead.ts';
import { views } from '../estimation/questions.ts';
import { intervalOf, type Judged, type Judging } from '../estimation/sequences.ts';
import { LEVEL, type Looks } from '../estimation/statistics/looks.ts';

/** The verdict on a metric's answers. */
export interface Verdict {
  /**
   * `share`: of a flag's yes. `mean`, `median`: of numbers. `lead`: the first answer is the most frequent. `close`: the first answer and
   * those that can't be told from it; of strings, the found ones. `best`: the first option has the largest mean utility. `tied`: the first
   * option and those that can't be told from it. `noise`: no answer is told from 0. `none`: there is no verdict, for the `reason`.
   */
  readonly kind: 'share' | 'mean' | 'median' | 'lead' | 'close' | 'best' | 'tied' | 'noise' | 'none';
  /** The looks at which it holds: every one, or a single one. */
  readonly looks?: Looks;
  /** The labels of the answers or options that it names, largest first. */
  readonly answers: readonly string[];
  /** The interval of the first of them, of an option that of its mean utility, or of the number. */
  readonly interval?: Interval;
  readonly reason?: string;
}

/** Verdicts that are withheld, and the reason in a sentence. */
interface Withheld {
  readonly withheld: string;
}

/** How verdicts are given, or why not. */
export type Verdicts = Judging | Withheld;

export const isGiven = (verdicts: Verdicts | undefined): verdicts is Judging => verdicts !== undefined && 'looks' in verdicts;

/** A reader's statement of how the days of a selection are chosen. */
export interface Selecting {
  readonly looks?: Looks | undefined;
  readonly from?: number | undefined;
  readonly exclude?: readonly number[] | undefined;
}

const MOVING =
  'A verdict that holds at every look needs a first day that stays the same: leave `from` out, or say looks=always where it stays, or looks=once for a single look.';
const LEFT_OUT = 'Days are left out, so no verdict holds at every look. Say looks=once for a single look at days that were chosen before.';

/**
 * How verdicts on a selection are given. Its first day may be another one at each look, unless the reader says how it is looked at. Days that
 * are left out may have been chosen for what they say.
 */
export function verdictsOf({ looks, from, exclude = [] }: Selecting, planned: number): Verdicts {
  if (exclude.length > 0 && looks !== 'once') return { withheld: LEFT_OUT };
  if (looks === undefined && from !== undefined) return { withheld: MOVING };
  return { looks: looks ?? 'always', planned };
}

/** No verdict. */
export const noVerdict = (reason: string): Verdict => ({ kind: 'none', answers: [], reason });

/** Why there is no verdict on few reports. */
export const tooFew = (reports: number, minimum: number): string =>
  `There are ${reports} reports, and a verdict needs ${Math.max(1, minimum)}.`;

/** Answers as they are judged, in the order of the metric. */
export interface JudgedAnswers {
  readonly document: MetricDocument;
  readonly judged: readonly Judged[];
  readonly labels: readonly string[];
  readonly basis: People;
  /** True if an answer can be named. Of strings only found ones can; the others are rivals. Default: each can. */
  readonly isNamed?: (i: number) => boolean;
  /** The number of answers whose intervals hold together. Default: all that are judged. */
  readonly together?: number;
}

/** The verdict on at least one share, or on a mean. */
export function verdictOn(
  { document, judged, labels, basis, isNamed = () => true, together = judged.length }: JudgedAnswers,
  judging: Judging,
): Verdict {
  const { looks } = judging;
  const intervalAt = (i: number, level: number): Interval => intervalOf(judged[i] as Judged, { ...judging, level });
  const of = (kind: Verdict['kind'], [first, ...others]: readonly [number, ...number[]], interval = intervalAt(first, LEVEL)): Verdict => ({
    kind,
    looks,
    answers: [first, ...others].map((i) => labels[i] as string),
    interval,
  });
  if (rangeOf(document)) return of('mean', [0]);
  if (views[document.type] === 'yes-no') return of('share', [Math.max(0, labels.indexOf('true'))]);
  const { leader, rivals } = standingOf(document.law, judged, basis, document.type !== 'choices', judging, isNamed);
  // The largest of several estimates is too large more often than one that was chosen before, so its interval is one that all hold together.
  const interval = intervalAt(leader, LEVEL / together);
  if (interval.low <= 0) return { kind: 'noise', looks, answers: [] };
  return of(rivals.length === 0 ? 'lead' : 'close', [leader, ...rivals.filter(isNamed)], interval);
}
