/** How a string, or a list, goes with the lists that are asked together with it: the table of both, its marginals, and a verdict in words. */

import {
  type Answer,
  dayText,
  hashString,
  isListPart,
  isStringLaw,
  type JointAnswer,
  type JointPart,
  type JointQuestion,
  jointAnswers,
  labelOf,
  type MetricDocument,
  type StringHash,
} from '@murmuration/shared';
import { pValueInWords } from '../base/numbers.ts';
import {
  type AssociatedString,
  type Association,
  associationOf,
  type Found,
  listsAssociation,
} from '../decoding/association/association.ts';
import type { Estimate } from '../estimation/estimate.ts';
import type { AnswerLaw } from '../estimation/estimation.ts';
import { candidateAnswersOf } from './candidates.ts';
import type { EstimateRequest, MetricEstimates } from './estimates.ts';
import { basisOf, excludedIn } from './estimates.ts';

/** An answer of the lists: its share of all devices, and of those that gave the string. */
interface AssociationAnswer extends Estimate {
  readonly answer: Answer | JointAnswer;
  readonly label: string;
  /** Only of strings that are found. */
  readonly within?: Estimate;
}

/** A candidate, with the answers given together with it. */
export interface AssociationRow extends Estimate {
  readonly string: string;
  /** Of the hypothesis that nobody gave it. */
  readonly pValue: number;
  readonly isFound: boolean;
  readonly answers: readonly AssociationAnswer[];
}

/** An association, without its strings. */
export interface MetricAssociation
  extends Pick<
    MetricEstimates,
    'app' | 'metric' | 'version' | 'type' | 'mechanism' | 'epsilon' | 'among' | 'minimum' | 'reports' | 'from' | 'to' | 'excluded'
  > {
  /** The names of the string and of the lists. Without a string, `text` is the first list, and its answers are the strings. */
  readonly text: string;
  readonly lists: readonly string[];
  /** The p-value of independence; null where no string is clear enough. */
  readonly independence: number | null;
  readonly verdict: string;
  /** The share of all devices that gave one of the strings that are found, and what they answered; null where none is found. */
  readonly found: (Estimate & { readonly answers: readonly AssociationAnswer[] }) | null;
}

/** The rows of an association, and its columns. */
interface Parts {
  /** The string, or the first list. */
  readonly rows: JointPart;
  readonly columns: readonly JointQuestion[];
}

/** The parts of a joint metric; undefined for others, and for dBitFlip, whose pairs of answers have no closed form. */
function partsOf(document: MetricDocument): Parts | undefined {
  if (document.type !== 'joint' || document.law.mechanism === 'd-bit-flip') return undefined;
  const { questions } = document;
  const rows = questions.find((part) => !isListPart(part)) ?? (questions[0] as JointPart);
  return { rows, columns: questions.filter(isListPart).filter((part) => part !== rows) };
}

/** The answers of the columns: those of the only list, or an answer to each of several. */
function columnAnswersOf({ columns }: Parts): readonly AssociationAnswer['answer'][] {
  const [list] = columns;
  return columns.length === 1 && list !== undefined ? list.answers : jointAnswers(columns);
}

/** The numbers of columns, and of rows where these are a list's; undefined for a metric that asks one thing. */
export function sizeOf(document: MetricDocument): { readonly columns: number; readonly rows?: number } | undefined {
  const parts = partsOf(document);
  if (parts === undefined) return undefined;
  const columns = columnAnswersOf(parts).length;
  return isListPart(parts.rows) ? { columns, rows: parts.rows.answers.length } : { columns };
}

/** Pairs that a verdict names. */
const NAMED = 3;

const percent = (share: number): number => Math.round(100 * Math.min(1, Math.max(0, share)));

/** The verdict in one sentence. */
function verdictOf(
  { text, lists }: { readonly text: string; readonly lists: readonly string[] },
  { independence, outstanding, strings, found }: Association,
  candidates: readonly string[],
  labels: readonly string[],
): string {
  const list = lists.join(' and ');
  if (candidates.length === 0) return `no candidates: name the strings of ${text} to look for`;
  if (independence === undefined) return `too few reports to tell: no ${text} is clearly there`;
  const p = pValueInWords(independence);
  if (independence >= 0.05) return `too close to call: nothing shows that ${list} goes with ${text} (${p})`;
  const pairs = outstanding.slice(0, NAMED).map(({ string, answer, isMore }) => {
    const { estimate = 0, low = 0, high = 1 } = (strings[string] as AssociatedString).pairs[answer]?.within ?? {};
    const all = (found as Found).answers[answer]?.within.estimate ?? 0;
    const share = `${percent(estimate)} %, between ${percent(low)} and ${percent(high)}, against ${percent(all)} % of all`;
    const isPossible = high >= 0 && low <= 1; // a ratio of noisy shares may lie outside, and then says nothing in percent
    return `${labels[answer]} is given ${isMore ? 'more' : 'less'} often with “${candidates[string]}”${isPossible ? ` (${share})` : ''}`;
  });
  const more = outstanding.length - pairs.length;
  const told = pairs.length === 0 ? 'no single pair stands out' : `${pairs.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  return `${list} goes with ${text} (${p}): ${told}`;
}

/**
 * The association of a metric, and its strings with the largest shares first.
 *
 * @throws {TypeError} where the metric asks one thing
 */
export function association(request: EstimateRequest): {
  readonly association: MetricAssociation;
  readonly strings: readonly AssociationRow[];
} {
  const { minimum, among = 'population', evidence } = request;
  const { app, metric, version, document } = request.metric;
  const { type, law, epsilon } = document;
  const found = partsOf(document);
  if (found === undefined) throw new TypeError(`association: expected a joint question, got a ${type}`);
  const parts = { text: found.rows.name, lists: found.columns.map(({ name }) => name) };
  const candidates = isListPart(found.rows) ? found.rows.answers.map(labelOf) : request.candidates;
  const { tallies, reports, from, to, excluded } = evidence;
  const answers = columnAnswersOf(found);
  const labels = answers.map(labelOf);
  const { perDevice, people } = basisOf(document, evidence, 'population');
  const isShown = reports >= minimum && reports > 0;
  const drawn = { tallies: isShown ? tallies : new Map(), perDevice, people };
  const textsOf = (): readonly (readonly StringHash[])[] => {
    const texts = candidateAnswersOf(document, candidates).map(({ text }) => hashString(text));
    return candidates.map((_, s) => texts.slice(s * answers.length, (s + 1) * answers.length));
  };
  const table = isStringLaw(law)
    ? associationOf(law, drawn, textsOf(), among === 'reports')
    : listsAssociation(law as AnswerLaw, drawn, answers.length, among === 'reports');
  const answersOf = (pairs: AssociatedString['pairs']): readonly AssociationAnswer[] =>
    pairs.map(({ share, within }, l) => ({
      answer: answers[l] as Answer,
      label: labels[l] as string,
      ...share,
      ...(within && { within }),
    }));
  const strings = table.strings.map(
    ({ share, pValue, isFound, pairs }, s): AssociationRow => ({
      string: candidates[s] as string,
      ...share,
      pValue,
      isFound,
      answers: answersOf(pairs),
    }),
  );
  const about = { app, metric, version, type, mechanism: law.mechanism, epsilon, among, minimum, reports };
  return {
    association: {
      ...about,
      from: from === null ? null : dayText(from),
      to: to === null ? null : dayText(to),
      ...excludedIn(excluded),
      ...parts,
      independence: table.independence ?? null,
      verdict: isShown
        ? verdictOf(parts, table, candidates, labels)
        : `too few reports: ${reports}, and at least ${Math.max(1, minimum)} are needed`,
      found: table.found ? { ...table.found.share, answers: answersOf(table.found.answers) } : null,
    },
    strings: strings.toSorted((a, b) => b.estimate - a.estimate),
  };
}
