/**
 * Which strings are in a metric's reports, and what the whole distribution looks like. These are two questions with two answers: a string that
 * is found is tested against chance, and its interval allows for the test. The shares of the distribution are near the truth together, and
 * say nothing about one string.
 */

import { isStringLaw, labelOf, type StringLaw } from '@murmuration/shared';
import { decode } from '../decoding/decode/decode.ts';
import type { CellMap, Decoded } from '../decoding/decode/evidence.ts';
import type { Estimate } from '../estimation/estimate.ts';
import type { CandidateAnswer } from '../estimation/questions.ts';
import { Z95 } from '../estimation/statistics/tails.ts';
import type { Evidence } from '../estimation/tally.ts';
import { watchOf } from '../estimation/watch/watch.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import { aboutOf } from './about.ts';
import { basisOf } from './basis.ts';
import { cellCountsOf } from './cells.ts';
import type { DecodedString, DecodeOutcome, MetricStrings, WholeDistribution } from './decoded-strings.ts';
import { inWords } from './decoding-words.ts';
import type { Truth } from './estimates.ts';
import { twinsOf } from './twins.ts';

/** All input of a decode, as plain data. */
export interface DecodeRequest {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document'>;
  readonly evidence: Evidence;
  readonly minimum: number;
  readonly fdr: number;
  /** Whether candidates that are not found are wanted, too. */
  readonly all: boolean;
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

/** Candidates by descending value, equal ones in their own order. */
const descending = (values: Float64Array, chosen: (v: number) => boolean): Uint32Array =>
  Uint32Array.from(values.keys())
    .filter(chosen)
    .sort((a, b) => (values[b] as number) - (values[a] as number) || a - b);

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
  const { reported, estimate, standardError, typical, low, high, pValue, qValue } = decoded;
  const isFound = (v: number): boolean => reported[v] === 1;
  const order = [...descending(typical, isFound), ...(all ? descending(estimate, (v) => !isFound(v)) : [])];
  return order.map((v) => {
    const name = nameOf(answers[v] as CandidateAnswer);
    const [found, ...numbers] = [reported, estimate, standardError, typical, low, high, pValue, qValue].map((each) => each[v] as number);
    const [own, error, middle, least, most, p, q] = numbers as [number, number, number, number, number, number, number];
    const truth = shares && { truth: Object.hasOwn(shares, name.label) ? (shares[name.label] as number) : 0 };
    const interval = { estimate: own, standardError: error, low: least, high: most };
    return { ...name, isFound: found === 1, ...interval, typical: middle, pValue: p, qValue: q, ...truth };
  });
}

/** What can be said of the strings. */
function decoded(request: DecodeRequest, law: StringLaw, perDevice: number): Decoded & { readonly indistinguishable: number } {
  const counts = cellCountsOf(law, request.evidence.tallies, perDevice);
  const map = request.mapOf(law);
  let steps = 0;
  const all = decode({ counts, map, fdr: request.fdr, onStep: () => request.onStep?.(++steps) });
  const twins = twinsOf(counts, map);
  return { ...all, reported: all.reported.map((is, v) => (twins[v] === 1 ? 0 : is)), indistinguishable: sum(twins) };
}

/** Decodes. @throws {TypeError} when the metric has no strings */
export function decodeStrings(request: DecodeRequest): { readonly fields: MetricStrings; readonly strings: readonly DecodedString[] } {
  const { minimum, fdr, answers } = request;
  const { document } = request.metric;
  const { law } = document;
  const { tallies, reports, ones } = request.evidence;
  if (!isStringLaw(law)) throw new TypeError(`expected a law of strings, got ${law.mechanism}`);
  const { perDevice } = basisOf(document, request.evidence, 'population');
  const ended = (outcome: DecodeOutcome, found: number, indistinguishable: number): MetricStrings => ({
    ...aboutOf(request),
    fdr,
    candidates: answers.length,
    found,
    outcome,
    meaning: inWords(outcome, { reports, minimum, fdr, found, candidates: answers.length }),
    indistinguishable,
    watch: watchOf(law, tallies, ones, perDevice),
  });
  if (reports < minimum || reports === 0) return { fields: ended('too-few-reports', 0, 0), strings: [] };
  if (answers.length === 0) return { fields: ended('no-candidates', 0, 0), strings: [] };
  const all = decoded(request, law, perDevice);
  const fields = ended(all.outcome, sum(all.reported), all.indistinguishable);
  if (all.outcome === 'not-enough-data') return { fields, strings: [] };
  const numbers = { unexplained: unexplainedOf(all), detectable: all.detectable, distribution: distributionOf(answers, all) };
  return { fields: { ...fields, ...numbers }, strings: rowsOf(answers, all, request) };
}
