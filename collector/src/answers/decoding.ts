/**
 * The strings in a metric's reports, and their whole distribution. These are two questions with two answers: a string that
 * is found is tested against chance, and its interval allows for the test. The shares of the distribution are near the truth together, and
 * say nothing about one string.
 */

import { isStringLaw, labelOf, type PrefixHashingLaw, type StringLaw } from '@murmuration/shared';
import { count, percent } from '../base/numbers.ts';
import { descending, findings, foundIn } from '../decoding/decode/decode.ts';
import type { CellMap, Decoded } from '../decoding/decode/evidence.ts';
import { cellCountsOf, repeatedShares } from '../decoding/decode/tallies.ts';
import { type DiscoveredString, discover } from '../decoding/discovery/discover.ts';
import type { Step } from '../decoding/discovery/select.ts';
import type { Estimate } from '../estimation/estimate.ts';
import type { CandidateAnswer } from '../estimation/questions.ts';
import { judgedOf } from '../estimation/sequences.ts';
import { Z95 } from '../estimation/statistics/tails.ts';
import type { Evidence } from '../estimation/tally.ts';
import { watchOf } from '../estimation/watch/watch.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import type { DecodedString, DecodeOutcome, MetricStrings, WholeDistribution } from './decoded-strings.ts';
import type { Truth } from './estimates.ts';
import { aboutOf, basisOf } from './estimates.ts';
import { isGiven, type JudgedAnswers, noVerdict, type Verdicts, verdictOn } from './verdict.ts';

/** All input of a decode, as plain data. */
export interface DecodeRequest {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document'>;
  readonly evidence: Evidence;
  readonly minimum: number;
  readonly fdr: number;
  /** True if candidates that are not found are wanted, too. */
  readonly all: boolean;
  /** How verdicts are given. Default: there are none. */
  readonly verdicts?: Verdicts | undefined;
  readonly answers: readonly CandidateAnswer[];
  /** The cells of the answers. It is called once, if at all. */
  readonly mapOf: (law: StringLaw) => CellMap;
  /** Called after each step of the decode, which is told how many there were. */
  readonly onStep?: (steps: number) => void;
  /** The true shares by label. */
  readonly shares?: ReturnType<Truth>;
}

/** Shares of the distribution that are listed by themselves. */
const MOST_SHARES = 1_000;

const within = (share: number): number => Math.min(1, Math.max(0, share));
const sum = (numbers: Iterable<number>): number => {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
};

function unexplainedOf({ unexplained: estimate, unexplainedError: standardError }: Decoded): Estimate {
  const margin = Z95 * standardError;
  return { estimate, standardError, low: within(estimate - margin), high: within(estimate + margin) };
}

const nameOf = ({ answer }: CandidateAnswer): Pick<DecodedString, 'answer' | 'label'> => ({ answer, label: labelOf(answer) });

function distributionOf(answers: readonly CandidateAnswer[], { distribution, other }: Decoded): WholeDistribution {
  const largest = descending(distribution, (v) => (distribution[v] as number) > 0).subarray(0, MOST_SHARES);
  const shares = Array.from(largest, (v) => ({ ...nameOf(answers[v] as CandidateAnswer), share: distribution[v] as number }));
  return { shares, rest: Math.max(0, sum(distribution) - sum(shares.map(({ share }) => share))), other };
}

/** The found strings by descending share, then the others if they are wanted. */
function rowsOf(answers: readonly CandidateAnswer[], decoded: Decoded, { all, shares }: DecodeRequest): readonly DecodedString[] {
  const { isFound, estimate, standardError, typical, low, high, pValue, qValue } = decoded;
  const order = [...foundIn(decoded), ...(all ? descending(estimate, (v) => isFound[v] !== 1) : [])];
  return order.map((v) => {
    const name = nameOf(answers[v] as CandidateAnswer);
    const [found, ...numbers] = [isFound, estimate, standardError, typical, low, high, pValue, qValue].map((each) => each[v] as number);
    const [own, error, middle, least, most, p, q] = numbers as [number, number, number, number, number, number, number];
    const truth = shares && { truth: Object.hasOwn(shares, name.label) ? (shares[name.label] as number) : 0 };
    const interval = { estimate: own, standardError: error, low: least, high: most };
    return { ...name, isFound: found === 1, ...interval, typical: middle, pValue: p, qValue: q, ...truth };
  });
}

/** Decodes. @throws {TypeError} when the metric has no strings */
export function decodeStrings(request: DecodeRequest): { readonly fields: MetricStrings; readonly strings: readonly DecodedString[] } {
  const { minimum, fdr, answers } = request;
  const { document } = request.metric;
  const { law } = document;
  const { tallies, reports, ones } = request.evidence;
  if (!isStringLaw(law)) throw new TypeError(`expected a law of strings, got ${law.mechanism}`);
  const basis = basisOf(document, request.evidence, 'population');
  const ended = (outcome: DecodeOutcome, found: number, indistinguishable: number): MetricStrings => ({
    ...aboutOf(request),
    fdr,
    candidates: answers.length,
    found,
    outcome,
    meaning: inWords(outcome, { reports, minimum, fdr, found, candidates: answers.length }),
    indistinguishable,
    watch: watchOf(law, tallies, ones, basis.perDevice),
  });
  if (reports < minimum || reports === 0) return { fields: ended('too-few-reports', 0, 0), strings: [] };
  if (answers.length === 0) return { fields: ended('no-candidates', 0, 0), strings: [] };
  let steps = 0;
  const counts = cellCountsOf(law, tallies, basis);
  const shares = repeatedShares(
    law,
    tallies,
    basis,
    answers.map(({ text }) => text),
  );
  const all = findings({ counts, map: request.mapOf(law), fdr, shares, onStep: () => request.onStep?.(++steps) });
  const fields = ended(all.outcome, all.found, all.indistinguishable);
  if (all.outcome === 'not-enough-data') return { fields, strings: [] };
  const numbers = { unexplained: unexplainedOf(all), detectable: all.detectable, distribution: distributionOf(answers, all) };
  const judged = Array.from(all.estimate, (estimate, v) => ({ estimate, standardError: all.standardError[v] as number }));
  const strings = { estimates: judged, labels: answers.map(({ answer }) => labelOf(answer)), isNamed: (v: number) => all.isFound[v] === 1 };
  return { fields: { ...fields, ...numbers, ...verdictOf(strings, request) }, strings: rowsOf(answers, all, request) };
}

/** Strings as they are judged, by their estimates before the choice of what is found. */
interface JudgedStrings extends Pick<JudgedAnswers, 'labels' | 'together'> {
  readonly estimates: readonly Pick<Estimate, 'estimate' | 'standardError'>[];
  readonly isNamed: (v: number) => boolean;
}

/**
 * The verdict on the found strings. One of two strings that are as frequent may be found and the other not, so all that could be found are
 * judged with them. Absent where nothing is found, or what is found may be 0 at the verdict's level.
 */
function verdictOf(
  { estimates, labels, isNamed, ...strings }: JudgedStrings,
  { metric: { document }, evidence, verdicts }: Pick<DecodeRequest, 'metric' | 'evidence' | 'verdicts'>,
): Pick<MetricStrings, 'verdict'> {
  if (verdicts === undefined || !labels.some((_, v) => isNamed(v))) return {};
  if (!isGiven(verdicts)) return { verdict: noVerdict(verdicts.withheld) };
  const intervals = estimates.map(({ estimate, standardError }): Estimate => {
    return { estimate, standardError, low: estimate - Z95 * standardError, high: estimate + Z95 * standardError };
  });
  const basis = basisOf(document, evidence, 'population');
  const judged = judgedOf(document.law, intervals, evidence.reports, basis);
  const verdict = verdictOn({ document, judged, labels, basis, isNamed, ...strings }, verdicts);
  return verdict.kind === 'noise' ? {} : { verdict };
}

// The strings in the reports of a metric that lists none: a search of its tallies, as plain data.

/** All input of a search. Candidates are strings that are wanted whether they are found or not. */
export interface SearchRequest extends Pick<DecodeRequest, 'metric' | 'evidence' | 'minimum' | 'fdr' | 'all' | 'verdicts' | 'shares'> {
  readonly law: PrefixHashingLaw;
  readonly candidates: readonly string[];
  readonly onStep?: (step: Step) => void;
}

function rowOf({ text, isCut, ...numbers }: DiscoveredString, isFound: boolean, { shares }: SearchRequest): DecodedString {
  // The shares of whole strings are wrong for a string that may go on.
  const truth = shares && !isCut && { truth: Object.hasOwn(shares, text) ? (shares[text] as number) : 0 };
  return { answer: text, label: text, isFound, ...(isCut && { isCut }), ...numbers, ...truth };
}

/** Searches. */
export function searchStrings(request: SearchRequest): { readonly fields: MetricStrings; readonly strings: readonly DecodedString[] } {
  const { law, minimum, fdr, all, candidates, onStep } = request;
  const { tallies, reports, ones } = request.evidence;
  const { perDevice, people } = basisOf(request.metric.document, request.evidence, 'population');
  const ended = (outcome: SearchOutcome, found: number): MetricStrings => ({
    ...aboutOf(request),
    fdr,
    candidates: candidates.length,
    found,
    outcome,
    meaning: searchedInWords(outcome, { reports, minimum, fdr, found }),
    indistinguishable: 0,
    watch: watchOf(law, tallies, ones, perDevice),
  });
  if (reports < minimum || reports === 0) return { fields: ended('too-few-reports', 0), strings: [] };
  const found = discover(law, tallies, { rate: fdr, people, candidates: all ? candidates : [], onStep });
  const { strings, others, unexplained, detectable } = found;
  if (strings.length === 0 && detectable >= 1) return { fields: ended('not-enough-data', 0), strings: [] };
  const rows = [...strings.map((each) => rowOf(each, true, request)), ...others.map((each) => rowOf(each, false, request))];
  const fields = { ...ended('decoded', strings.length), unexplained, detectable };
  return { fields: { ...fields, ...verdictOf(withHidden(strings, detectable), request) }, strings: rows };
}

/**
 * The found strings of a search, and one that stands for all that it did not find: a string with more than the detectable share is found more
 * often than not. At most 4 / `detectable` strings have a quarter of that share, and rarer ones are next to never found.
 */
function withHidden(found: readonly DiscoveredString[], detectable: number): JudgedStrings {
  const largest = found.reduce((most, each) => (each.estimate > most.estimate ? each : most), found[0] as DiscoveredString);
  return {
    estimates: [...found, { estimate: detectable, standardError: largest?.standardError ?? 0 }],
    labels: [...found.map(({ text }) => text), ''],
    isNamed: (v) => v < found.length,
    together: found.length + Math.ceil(4 / detectable),
  };
}

// The outcome of a decode in plain words, for people who have not heard of any of this.

/** The numbers in the words. */
interface Numbers {
  readonly reports: number;
  readonly minimum: number;
  readonly fdr: number;
  readonly found: number;
  readonly candidates: number;
}

/** How a search without a list can end. */
type SearchOutcome = Extract<DecodeOutcome, 'decoded' | 'too-few-reports' | 'not-enough-data'>;

/** Those that are looked for. */
const listed = (value: number): string => (value === 1 ? 'the one string on the list' : `the ${count(value)} strings on the list`);

/** Outcomes that do not depend on a list. */
function withoutList(outcome: 'too-few-reports' | 'not-enough-data', { reports, minimum }: Pick<Numbers, 'reports' | 'minimum'>): string {
  return outcome === 'too-few-reports'
    ? `${count(reports)} of ${count(Math.max(1, minimum))} reports: too few to say anything.`
    : 'Not enough reports: even a string that every report has could not be told apart from chance.';
}

/** A search without a list in a sentence or two. */
function searchedInWords(outcome: SearchOutcome, numbers: Omit<Numbers, 'candidates'>): string {
  if (outcome !== 'decoded') return withoutList(outcome, numbers);
  const { found, fdr } = numbers;
  return found === 0
    ? 'No string is frequent enough to be told apart from chance yet.'
    : `${count(found)} ${found === 1 ? 'string is' : 'strings are'} told apart from chance, without a list. On average, at most ${percent(fdr)} of those found are not there.`;
}

/** A decode in a sentence or two. */
function inWords(outcome: DecodeOutcome, { reports, minimum, fdr, found, candidates }: Numbers): string {
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
