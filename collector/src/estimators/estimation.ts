/**
 * What X.ts beside this file exports of a mechanism X: all that the collector does with its laws. table.ts finds it by name.
 * A member that has no question mark must be there, and is what some part of the collector asks every mechanism of its kind.
 */

import type { DBitFlipLaw, DistributionLaw, Law, ListLaw, MetricDocument, NumberLaw, PrivSetLaw, StringLaw } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import type { Bounds } from '../watch/bounds.ts';
import type { FitTest } from '../watch/fit.ts';
import type { Leverage } from '../watch/reach.ts';
import type { Distribution } from './distribution.ts';
import type { Estimate } from './estimate.ts';
import type { EstimateInput } from './estimate-input.ts';
import type { Scores } from './number.ts';

/** From ε to a law. */
export type LawAt = (epsilon: number) => Law;

/** What a law comes from besides ε. */
export interface Origin {
  readonly metric: MetricDocument;
  /** ε∞ of a permanent metric. */
  readonly permanent: number | undefined;
  /** How many devices are expected. */
  readonly devices: number;
}

/** A name of `simulate --mechanism` for a list. */
export interface SimulatedList {
  readonly of: 'list';
  readonly name: string;
  readonly law: (answers: number, epsilon: number, permanent: number | undefined, bits: number) => ListLaw;
  /** What carries the randomizers, an export of @murmuration/client/mechanisms; where left out the question itself does. */
  readonly client?: string;
  /** Whether it has a second stage. */
  readonly isPermanent?: true;
  /** Whether it needs `--bits`. */
  readonly takesBits?: true;
  /** The fewest answers; 2 where left out. */
  readonly fewest?: number;
}

/** A name of `simulate --mechanism`, by what it is a mechanism of: `kept` is a permanent mean or count. `client` as for a list. */
export type Simulated =
  | SimulatedList
  | { readonly of: 'mean'; readonly name: string; readonly client: string }
  | { readonly of: 'count'; readonly name: string; readonly client: string }
  | { readonly of: 'distribution'; readonly name: string; readonly client: string }
  | { readonly of: 'text'; readonly name: string; readonly client?: string }
  | { readonly of: 'choices'; readonly name: string }
  | { readonly of: 'best'; readonly name: string }
  | { readonly of: 'kept'; readonly name: string };

/** Of any mechanism. */
export interface Estimation<L extends Law> {
  /** The laws that its name stands for at another ε, without parameters and with those of the law (plan/law-at.ts). */
  readonly named: (law: L, origin: Origin) => readonly LawAt[];
  /** The estimates in the order of answers, inputs, cells or candidates; of a number its mean alone. None without reports. */
  readonly estimates: (law: L, input: EstimateInput) => Estimate[];
  /** Between which probabilities a report sets each cell (watch/bounds.ts). */
  readonly bounds: (law: L) => Bounds;
  /** What a tally must be beyond the bounds of its cells (watch/fit.ts). */
  readonly fit: FitTest<L>;
  /** What one report can say at most; undefined where there are no estimates (watch/leverage.ts). */
  readonly leverage: (law: L) => Leverage | undefined;
  /** Whether a report is independent bits of which one is the answer's, so that the number of ones is tested day by day. */
  readonly isOneBit?: (law: L) => boolean;
  /** Names of `simulate --mechanism`; none where it can't be named. */
  readonly simulated: readonly Simulated[];
}

/** Of a mechanism whose reports tell shares. */
export interface ShareEstimation<L extends Law> extends Estimation<L> {
  /** The variance of the estimate of a true share given who reports, one report each. */
  readonly noiseAt: (law: L, reports: number, share: number) => number;
}

/** Of a list. */
export interface ListEstimation<L extends Law> extends ShareEstimation<L> {
  /** How many reports support each answer: a transform that beats adding them up, or `addSupports` (supports.ts). */
  readonly supports: (law: L, tallies: Tallies) => Float64Array;
  /** The mean over answers of the variance that the law gives their estimates, from all reports, so many of each device. */
  readonly theory: (law: L, tallies: Tallies, truth: readonly number[], perDevice: number) => number;
}

/** The law of a list to which a device has one answer, estimated by the reports that support each. */
export type AnswerLaw = Exclude<ListLaw, PrivSetLaw | DBitFlipLaw>;

/** Σ_x n_x P(u and v supported | x) of two different answers. */
export type Pairs = (u: number, v: number) => number;

/** Of such a list. */
export interface AnswerEstimation<L extends Law> extends ListEstimation<L> {
  /** How the supports of two answers vary together (covariance.ts), where so many devices gave each answer. */
  readonly pairs: (law: L, counts: readonly number[]) => Pairs;
  /** Whether the estimates always sum to 1: every report then supports equally many answers. */
  readonly isSumFixed: (law: L) => boolean;
}

/** A law's hash: k bits, h of them a string, m cohorts. */
export interface Bloom {
  readonly bits: number;
  readonly hashes: number;
  readonly cohorts: number;
}

/** Of strings. */
export interface StringEstimation<L extends Law> extends ShareEstimation<L> {
  readonly bloom: (law: L) => Bloom;
  /** Whether a report has one of the bits and no other. */
  readonly isSingle: boolean;
  /** The law that a schema has at ε, for so many devices. */
  readonly lawFor: (epsilon: number, devices: number, permanent: number | undefined) => L;
}

/** Of a number's mean. */
export interface NumberEstimation<L extends Law> extends Estimation<L> {
  /** How the outputs tell a number. */
  readonly scores: (law: L) => Scores;
  /** The stage that is stored, as a law of its own, where there are two. */
  readonly stored?: (law: L) => L;
}

/** Of a number's distribution. */
export interface DistributionEstimation<L extends Law> extends ShareEstimation<L> {
  /** What tallies tell, of a population from which so many people were drawn; undefined without reports. */
  readonly distribution: (law: L, tallies: Tallies, people: number) => Distribution | undefined;
  /** The variance of one report's estimate of a mean weight, of numbers that are spread evenly. */
  readonly even: (law: L, weights: readonly number[]) => number;
}

/** By what a mechanism tells. */
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
