/**
 * Members of a mechanism's module: everything that the collector does with its laws. table.ts finds it by
 * name. Members without a question mark are required, because some part of the collector asks them of every mechanism of that kind.
 */

import type { DBitFlipLaw, DistributionLaw, Law, ListLaw, MetricDocument, NumberLaw, PrivSetLaw, StringLaw } from '@murmuration/shared';
import type { Distribution } from './distribution.ts';
import type { Estimate, EstimateInput } from './estimate.ts';
import type { Rows } from './matrices.ts';
import type { Scores } from './number.ts';
import type { Tallies } from './tally.ts';
import type { Bounds, Leverage } from './watch/bounds.ts';
import type { FitTest } from './watch/fit.ts';

/** From ε to a law. */
export type LawAt = (epsilon: number) => Law;

/** The other inputs that determine a law, besides ε. */
export interface Origin {
  readonly metric: MetricDocument;
  /** ε∞ of a permanent metric. */
  readonly permanent: number | undefined;
  /** The number of devices that are expected. */
  readonly devices: number;
}

/** A name in `simulate --mechanism` for a list. */
export interface SimulatedList {
  readonly of: 'list';
  readonly name: string;
  readonly law: (answers: number, epsilon: number, permanent: number | undefined, bits: number) => ListLaw;
  /** The export of @murmuration/client/mechanisms with the randomizers. Default: the question itself. */
  readonly client?: string;
  /** True if it has a second stage. */
  readonly isPermanent?: true;
  /** True if it needs `--bits`. */
  readonly takesBits?: true;
  /** The fewest answers. Default: 2. */
  readonly fewest?: number;
}

/** A name in `simulate --mechanism`, by the kind of question. `kept` is a permanent mean or count. `client` as for a list. */
export type Simulated =
  | SimulatedList
  | { readonly of: 'mean'; readonly name: string; readonly client: string }
  | { readonly of: 'count'; readonly name: string; readonly client: string }
  | { readonly of: 'distribution'; readonly name: string; readonly client: string }
  | { readonly of: 'text'; readonly name: string; readonly client?: string }
  | { readonly of: 'choices'; readonly name: string }
  | { readonly of: 'best'; readonly name: string }
  | { readonly of: 'kept'; readonly name: string };

/** Members that all mechanisms have. */
export interface Estimation<L extends Law> {
  /** The laws of this mechanism at another ε: without parameters, and with the parameters of the given law (plan/law-at.ts). */
  readonly named: (law: L, origin: Origin) => readonly LawAt[];
  /** The estimates in the order of answers, inputs, cells or candidates; for a number, only its mean. Empty without reports. */
  readonly estimates: (law: L, input: EstimateInput) => Estimate[];
  /** P(cell | input), for mechanisms with few outputs. A number between two inputs has a mixture of their rows. */
  readonly rows?: (law: L) => Rows;
  /** Bounds on the probability that a report sets each cell (watch/bounds.ts). */
  readonly bounds: (law: L) => Bounds;
  /** Tests of a tally beyond the bounds of its cells (watch/fit.ts). */
  readonly fit: FitTest<L>;
  /** The largest influence of one report; undefined where there are no estimates (watch/watch.ts). */
  readonly leverage: (law: L) => Leverage | undefined;
  /** True if a report consists of independent bits, one of which belongs to the answer. The number of ones is then tested day by day. */
  readonly isOneBit?: (law: L) => boolean;
  /** Names in `simulate --mechanism`; empty where it can't be named. */
  readonly simulated: readonly Simulated[];
}

/** Members of mechanisms that estimate shares. */
export interface ShareEstimation<L extends Law> extends Estimation<L> {
  /** The variance of the estimate of a true share, given who reports, with one report each. */
  readonly noiseAt: (law: L, reports: number, share: number) => number;
}

/** Members of list mechanisms. */
export interface ListEstimation<L extends Law> extends ShareEstimation<L> {
  /**
   * The number of reports that support each answer: by a transform that is faster than adding them up, or by `addSupports` (tally.ts).
   */
  readonly supports: (law: L, tallies: Tallies) => Float64Array;
  /** The variance of the estimates under the law, averaged over answers, given all reports and the number of reports of each device. */
  readonly theory: (law: L, tallies: Tallies, truth: readonly number[], perDevice: number) => number;
}

/** Laws of lists to which a device has one answer, estimated by counting the reports that support each answer. */
export type AnswerLaw = Exclude<ListLaw, PrivSetLaw | DBitFlipLaw>;

/** Σ_x n_x P(u and v supported | x) for two different answers. */
export type Pairs = (u: number, v: number) => number;

/** Members of the mechanisms of such lists. */
export interface AnswerEstimation<L extends Law> extends ListEstimation<L> {
  /** How the supports of two answers vary together (covariance.ts), given how many devices gave each answer. */
  readonly pairs: (law: L, counts: readonly number[]) => Pairs;
  /** True if the estimates always sum to 1, because every report supports the same number of answers. */
  readonly isSumFixed: (law: L) => boolean;
}

/** The parameters of a law's Bloom filter: k bits, h of them set by a string, m cohorts. */
export interface Bloom {
  readonly bits: number;
  readonly hashes: number;
  readonly cohorts: number;
}

/** Members of string mechanisms. */
export interface StringEstimation<L extends Law> extends ShareEstimation<L> {
  readonly bloom: (law: L) => Bloom;
  /** True if a report names one of the bits and nothing else. */
  readonly isSingle: boolean;
  /** The law that a schema has at this ε and number of devices. */
  readonly lawFor: (epsilon: number, devices: number, permanent: number | undefined) => L;
}

/** Members of mechanisms for a number's mean. */
export interface NumberEstimation<L extends Law> extends Estimation<L> {
  /** The scores that estimate a number from the outputs. */
  readonly scores: (law: L) => Scores;
  /** The stage that the device stores, as a law of its own, for mechanisms with two stages. */
  readonly stored?: (law: L) => L;
}

/** Members of mechanisms for a number's distribution. */
export interface DistributionEstimation<L extends Law> extends ShareEstimation<L> {
  /** The estimated distribution, given how many people were drawn from the population; undefined without reports. */
  readonly distribution: (law: L, tallies: Tallies, people: number) => Distribution | undefined;
  /** The variance of one report's estimate of a mean weight, for evenly spread numbers. */
  readonly even: (law: L, weights: readonly number[]) => number;
}

/** The members by the kind of law. */
export type EstimationOf<L extends Law> = L extends AnswerLaw
  ? AnswerEstimation<L>
  : L extends ListLaw
    ? ListEstimation<L>
    : L extends StringLaw
      ? StringEstimation<L>
      : L extends NumberLaw
        ? NumberEstimation<L>
        : L extends DistributionLaw
          ? DistributionEstimation<L>
          : ShareEstimation<L>;
