/**
 * Compares a metric between two selections: two ranges of days, versions or segments. rows.ts has the law of the differences.
 *
 * All that a comparison says is one family of tests at 5 %. The rows, the mean and the verdict of the whole follow from it, so none of them
 * contradicts another. A list's answers share the level evenly. Where two answers are complements, both say the same, and count once. The
 * median of a distribution has a quarter of the level. Its mean has half of the rest, and its cells have the other half. Strings are compared
 * if both sides together tell them from 0, at 5 % for all candidates; without a difference, that is independent of the difference.
 *
 * Where several metrics are compared at once, each is a family at its part of the 5 %.
 */

import { dayText, isDistributionLaw, isPrefixLaw, kindOf } from '@murmuration/shared';
import { quantileInterval, quantilePlace } from '../estimation/distribution.ts';
import type { Among, Estimate, Interval } from '../estimation/estimate.ts';
import { distributionOf } from '../estimation/mechanisms/table.ts';
import { views } from '../estimation/questions.ts';
import {
  differenceInterval,
  differencePValue,
  edgesOf,
  intervalsOf,
  type JudgedDifference,
  type Judging,
  toldInterval,
} from '../estimation/sequences.ts';
import { criticalValue, LEVEL, type Looks } from '../estimation/statistics/looks.ts';
import { Z95 } from '../estimation/statistics/tails.ts';
import { clearTogether, differenceInWords, isClear, type Unit, type Wording } from './differences.ts';
import { endsInUnit } from './distribution.ts';
import { basisOf, type EstimateRequest, type ExcludedDays, excludedIn } from './estimates.ts';
import { difference, type JudgedRow, judgedRowsOf, type Row, wantedIn } from './rows.ts';
import { type SampleRatio, sampleRatioOf } from './sample-ratio.ts';
import { isGiven } from './verdict.ts';

/** One side of a comparison. */
interface Side {
  readonly version: number;
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  /** Left out because the question excludes these days. */
  readonly excluded?: readonly ExcludedDays[];
}

/** The difference of one answer that both sides have: b minus a. */
export interface Difference {
  readonly answer: Row['answer'];
  readonly label: string;
  readonly a: Estimate;
  readonly b: Estimate;
  readonly difference: Estimate;
  /** The interval of the difference that holds at every look, for verdicts that do. */
  readonly always?: Interval;
  /** True if it is told from 0 when all that the comparison says is tested together. */
  readonly isClear: boolean;
  readonly verdict: string;
}

/** A comparison, without its differences. */
export interface Comparison {
  readonly app: string;
  readonly metric: string;
  readonly type: string;
  /** The question in words. */
  readonly subject: string;
  /** The word for the unit of numbers, if the schema has one. */
  readonly measure?: string;
  readonly among: Among;
  readonly minimum: number;
  readonly a: Side;
  readonly b: Side;
  /** `value` where differences are in the unit of the metric; absent where they are of shares. */
  readonly unit?: 'value';
  /** For a distribution: the differences of the means and of the medians, in the unit of the metric. */
  readonly mean?: Omit<Difference, 'answer' | 'label'>;
  readonly median?: Omit<Difference, 'answer' | 'label'>;
  /** The looks at which verdicts hold: every one, or a single one. Absent where they are withheld. */
  readonly looks?: Looks;
  /** Where the sides are the arms of an experiment. A broken one withholds the verdicts. */
  readonly sampleRatio?: SampleRatio;
  /** The verdict on all of it together, in words. */
  readonly verdict: string;
}

/** Answers that a verdict names. */
const NAMED = 3;

const sideOf = ({ metric, evidence: { reports, from, to, excluded } }: EstimateRequest): Side => ({
  version: metric.version,
  reports,
  from: from === null ? null : dayText(from),
  to: to === null ? null : dayText(to),
  ...excludedIn(excluded),
});

/** A difference before it is judged with others. */
interface Pair extends Pick<Row, 'answer' | 'label'> {
  readonly judged: JudgedDifference;
}

/** The answers that both sides have, in the order of the first. */
function pairsOf(before: readonly JudgedRow[], after: readonly JudgedRow[]): readonly Pair[] {
  const found = new Map(after.map((row) => [row.label, row]));
  return before.flatMap(({ answer, label, judged: a }): Pair[] => {
    const b = found.get(label)?.judged;
    return b === undefined ? [] : [{ answer, label, judged: { a, b, difference: difference(a.estimate, b.estimate) } }];
  });
}

/** The pairs that are compared: yes of a flag, and of strings those that somebody has. */
function comparedOf(
  pairs: readonly Pair[],
  { metric: { document } }: EstimateRequest,
  strings: boolean,
  { looks, planned }: Judging,
): readonly Pair[] {
  if (views[document.type] === 'yes-no') return pairs.filter(({ answer }) => answer === true);
  if (!strings || isPrefixLaw(document.law)) return pairs;
  return pairs.filter(({ judged: { a, b } }) => {
    const [ofA, ofB] = [a, b].map(({ estimate }) => 1 / estimate.standardError ** 2) as [number, number];
    const both = (a.estimate.estimate * ofA + b.estimate.estimate * ofB) / (ofA + ofB);
    return both * Math.sqrt(ofA + ofB) > criticalValue((a.reports + b.reports) / planned, LEVEL / pairs.length, looks);
  });
}

/** True if a device has one of two answers, so that the difference of one is minus that of the other. */
const isEither = ({ metric: { document } }: EstimateRequest, pairs: readonly Pair[]): boolean =>
  pairs.length === 2 && 'size' in document.law && document.law.size === 2 && kindOf(document).atMost === undefined;

/** The difference of the medians of a distribution; undefined for other metrics. */
function medianOf(
  sides: readonly [EstimateRequest, EstimateRequest],
  judging: Judging,
  unit: Unit,
  whole: number,
): Comparison['median'] | undefined {
  const medians = sides.map(({ metric: { document }, evidence, among = 'population' }) => {
    if (!('cells' in document) || !isDistributionLaw(document.law)) return undefined;
    const { reports } = evidence;
    const { people } = basisOf(document, evidence, among);
    const found = distributionOf(document.law, evidence.tallies, people);
    if (found === undefined) return undefined;
    const below = edgesOf(found, reports, people);
    const at = (looks: Judging): Interval => endsInUnit(quantileInterval(intervalsOf(below, looks), 0.5), document.range);
    const place = quantilePlace(found.density().shares, 0.5);
    const fixed = at({ ...judging, looks: 'once' });
    const { low: estimate } = endsInUnit({ low: place, high: place }, document.range);
    const { low, high } = { low: Math.min(estimate, fixed.low), high: Math.max(estimate, fixed.high) };
    return { estimate: { estimate, standardError: (high - low) / (2 * Z95), low, high }, at };
  });
  const [a, b] = medians;
  if (a === undefined || b === undefined) return undefined;
  const found = difference(a.estimate, b.estimate);
  // Neither side's interval misses its median, each at half the level.
  const apart = (level: number): Interval => {
    const [ofA, ofB] = [a, b].map(({ at }) => at({ ...judging, level: level / 2 })) as [Interval, Interval];
    return { low: ofB.low - ofA.high, high: ofB.high - ofA.low };
  };
  const [all, ofPart] = [apart(LEVEL), apart(OF_MEDIAN * whole)];
  const clear = isClear(ofPart);
  return {
    a: a.estimate,
    b: b.estimate,
    difference: found,
    ...(judging.looks === 'always' && { always: all }),
    isClear: clear,
    verdict: differenceInWords({ ...ofPart, estimate: found.estimate, isClear: clear }, unit),
  };
}

/** The median's part of the level. */
const OF_MEDIAN = 1 / 4;

/** A pair, judged: whether it is clear, and the level of the test at which it would be the first. */
function toldOf({ judged }: Pair, clear: boolean, level: number, judging: Judging, unit: Unit): Omit<Difference, 'answer' | 'label'> {
  const { a, b, difference: found } = judged;
  const ends = differenceInterval(judged, judging);
  const told = toldInterval(judged, clear, { ...judging, level });
  const verdict = differenceInWords({ ...told, estimate: found.estimate, isClear: clear }, unit);
  return {
    a: a.estimate,
    b: b.estimate,
    difference: found,
    ...(judging.looks === 'always' && { always: ends }),
    isClear: clear,
    verdict,
  };
}

/** A comparison's statements, all of them judged together. */
interface Judgement {
  readonly differences: readonly Difference[];
  readonly mean?: Omit<Difference, 'answer' | 'label'> | undefined;
  readonly median?: Omit<Difference, 'answer' | 'label'> | undefined;
}

function judge(
  sides: readonly [EstimateRequest, EstimateRequest],
  judging: Judging,
  shares: Unit,
  numbers: Unit,
  whole: number,
): Judgement {
  const [a, b] = sides;
  const { document } = a.metric;
  const isDistribution = document.type === 'distribution';
  const pairsFor = (quantity: 'cells' | 'mean'): readonly Pair[] => pairsOf(judgedRowsOf(a, quantity), judgedRowsOf(b, quantity));
  const pairs = comparedOf(pairsFor('cells'), a, a.candidates.length > 0, judging);
  const means = isDistribution ? pairsFor('mean') : [];
  const isTwice = isEither(a, pairs);
  const tested = [...means, ...(isTwice ? pairs.slice(0, 1) : pairs)];
  const weightOf = (i: number): number => (i < means.length ? tested.length - means.length : 1);
  const level = isDistribution ? (1 - OF_MEDIAN) * whole : whole;
  const clear = clearTogether(
    tested.map(({ judged }, i) => ({ pValue: differencePValue(judged, judging), weight: weightOf(i) })),
    level,
  );
  const all = tested.reduce((sum, _, i) => sum + weightOf(i), 0);
  const told = (pair: Pair, i: number, unit: Unit) => toldOf(pair, clear[i] === true, (level * weightOf(i)) / all, judging, unit);
  const [mean] = means;
  return {
    differences: pairs.map((pair, i) => {
      const { answer, label } = pair;
      return { answer, label, ...told(pair, means.length + (isTwice ? 0 : i), shares) };
    }),
    mean: mean && told(mean, 0, numbers),
    median: medianOf(sides, judging, numbers, whole),
  };
}

/** The verdict on all of it together. */
function verdictOf({ differences, mean, median }: Judgement, isFlag: boolean): string {
  const numbers = [mean && `the mean ${mean.verdict}`, median && `the median ${median.verdict}`].filter(
    (_, i) => [mean, median][i]?.isClear,
  );
  const named = differences
    .filter((each) => each.isClear)
    .sort((one, other) => Math.abs(other.difference.estimate) - Math.abs(one.difference.estimate));
  const words = named.slice(0, NAMED).map(({ label, verdict }) => `${isFlag ? 'yes' : label} ${verdict}`);
  if (numbers.length + words.length > 0) {
    const more = named.length - words.length;
    return `${[...numbers, ...words].join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  }
  if (mean === undefined && differences.length === 1) return (differences[0] as Difference).verdict;
  if (differences.length === 0) return 'too close to call: no string is told from 0 on both sides together';
  return `too close to call: with ${differences.length} answers compared at once, chance alone can explain every difference`;
}

/** Differences alone, whose verdicts are withheld. */
const UNJUDGED: Judging = { looks: 'once', planned: 1 };

function unjudged({ differences, mean, median }: Judgement): Judgement {
  const none = { isClear: false, verdict: 'no verdict' };
  return {
    differences: differences.map((each) => ({ ...each, ...none })),
    mean: mean && { ...mean, ...none },
    median: median && { ...median, ...none },
  };
}

/**
 * Compares two selections of one metric: b minus a.
 *
 * @param isExperiment true if the sides are arms that each device drew by an even coin
 * @param level that of all it says, where it is one of several metrics
 */
export function compare(
  before: EstimateRequest,
  after: EstimateRequest,
  wording: Wording,
  isExperiment = false,
  level: number = LEVEL,
): { readonly comparison: Comparison; readonly differences: readonly Difference[] } {
  const candidates = [...new Set([before, after].flatMap(wantedIn))];
  const [a, b] = [
    { ...before, candidates },
    { ...after, candidates },
  ];
  const { app, metric, document, about } = a.metric;
  const { among = 'population', minimum, verdicts } = a;
  const isValue = document.type === 'mean' || document.type === 'count';
  const isJudged = isGiven(verdicts);
  const arms = [a.evidence, b.evidence] as const;
  const sampleRatio = isExperiment
    ? sampleRatioOf(document, arms, isJudged ? verdicts.looks : 'once', isJudged ? verdicts.planned : UNJUDGED.planned)
    : undefined;
  const numbers: Unit = { wording, isShare: false, name: about?.unit };
  const heading = {
    app,
    metric,
    type: document.type,
    subject: about?.description ?? '',
    ...(about?.unit !== undefined && { measure: about.unit }),
    among,
    minimum,
    a: sideOf(a),
    b: sideOf(b),
    ...(isValue && { unit: 'value' as const }),
    ...(sampleRatio && { sampleRatio }),
  };
  if (Math.min(a.evidence.reports, b.evidence.reports) < Math.max(1, minimum)) {
    const verdict = `too few reports: ${a.evidence.reports} and ${b.evidence.reports}, and each side needs ${minimum}`;
    return { comparison: { ...heading, verdict }, differences: [] };
  }
  const isTold = isJudged && !sampleRatio?.isBroken;
  const judgement = judge([a, b], isJudged ? verdicts : UNJUDGED, isValue ? numbers : { wording, isShare: true }, numbers, level);
  const { differences, mean, median } = isTold ? judgement : unjudged(judgement);
  const ordered =
    a.candidates.length > 0
      ? differences.toSorted((one, other) => Math.abs(other.difference.estimate) - Math.abs(one.difference.estimate))
      : differences;
  const verdict = !isJudged
    ? `no verdict: ${verdicts?.withheld ?? 'none is asked for'}`
    : isTold
      ? verdictOf(judgement, views[document.type] === 'yes-no')
      : 'no verdict: the sample-ratio check failed';
  const comparison = { ...heading, ...(mean && { mean }), ...(median && { median }), ...(isTold && { looks: verdicts.looks }), verdict };
  return { comparison, differences: ordered };
}
