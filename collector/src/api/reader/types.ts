/** Requests and answers of a reader, with the names and answers of a schema. */

import type { Questions, Schema, Segments, ValueOf } from '@murmuration/shared';
import type { AssociationRow, MetricAssociation } from '../../answers/association.ts';
import type { Comparison, Difference } from '../../answers/compare.ts';
import type { DecodedString, MetricStrings, Progress } from '../../answers/decoded-strings.ts';
import type { AnswerEstimate, MetricEstimates } from '../../answers/estimates.ts';
import type { PageInfo } from '../../answers/packed-answer.ts';
import type { Interval, PointAnswer, Series, SeriesPoint } from '../../answers/series.ts';
import type { Among } from '../../estimation/estimate.ts';
import type { Looks } from '../../estimation/statistics/looks.ts';
import type { Forecast, PlannedCadence } from '../../planning/plan/forecast.ts';

/** A schema, or none: then metrics and segments are any strings. */
export type AnySchema = Schema | undefined;

/** The names of a schema's metrics. */
export type MetricOf<S extends AnySchema> = S extends Schema<infer M extends Questions> ? keyof M & string : string;

/** A value for each segment that is chosen. */
type SegmentOf<S extends AnySchema> =
  S extends Schema<Questions, infer G extends Segments>
    ? { readonly [name in keyof G]?: G[name][number] | undefined }
    : { readonly [name: string]: string };

/** An answer of a value: a member of a set; of a number the label of its range. */
type AnswerOfValue<V> = V extends readonly (infer A)[] ? A : V extends number ? string : V;

/** The answers of a metric. */
export type AnswerOf<S extends AnySchema, K extends string> =
  S extends Schema<infer M extends Questions> ? (K extends keyof M ? AnswerOfValue<ValueOf<M[K]>> : never) : AnswerEstimate['answer'];

/** Rows with the answers of a metric. */
type Typed<Row, A> = Omit<Row, 'answer'> & { readonly answer: A };

/** Which reports are meant. Days are texts such as 2026-11-20. */
export interface Selection<S extends AnySchema> {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Days that are left out. */
  readonly exclude?: readonly string[] | undefined;
  /** Only the reports of this version of the schema. */
  readonly version?: number | undefined;
  readonly segment?: SegmentOf<S> | undefined;
}

/** Which rows are sent, and how the request is made. */
export interface Asked<S extends AnySchema> extends Selection<S> {
  /** The app, where there is no schema and several apps have a metric of the name. */
  readonly app?: string | undefined;
  /** The strings to look for in a text. Default: those of the collector. */
  readonly candidates?: readonly string[] | undefined;
  /** Population of the error bars. Default: all users. */
  readonly among?: Among | undefined;
  /** Whether verdicts hold at every look, or at one. Default: every look, where the first day is not chosen. */
  readonly looks?: Looks | undefined;
  /** Rows of the answer. Default: 1,000. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Request for estimates. */
export interface EstimatesAsked<S extends AnySchema> extends Asked<S> {
  /** Whether intervals that hold for all answers together are wanted. Default: false. */
  readonly together?: boolean | undefined;
  /** For a list: whether the shares of each answer and all later ones are wanted, as of a funnel. Default: false. */
  readonly orLater?: boolean | undefined;
  /** For a distribution. */
  readonly ranges?: readonly (readonly [low: number, high: number])[] | undefined;
  readonly quantiles?: readonly number[] | undefined;
}

/** Request for a comparison. */
export interface CompareAsked<S extends AnySchema> extends Asked<S> {
  /** Whether the sides are arms that each device drew by an even coin, so that their numbers of reports are tested. Default: false. */
  readonly experiment?: boolean | undefined;
}

/** Request for a series. */
export interface SeriesAsked<S extends AnySchema> extends Asked<S> {
  readonly interval?: Interval | undefined;
  /** How many answers to follow. Default: 10. */
  readonly top?: number | undefined;
}

/** How far a decode is: it waits for others, reads the tallies, hashes the candidates unless they are known, and decodes or searches. */
export type DecodeProgress = Progress;

/** Request for a decode. Its intervals are always about all users. */
export interface DecodeAsked<S extends AnySchema> extends Omit<Asked<S>, 'among'> {
  /** The false discovery rate. Default: 0.05. */
  readonly fdr?: number | undefined;
  /** True if candidates that are not told apart from chance are wanted, too. Default: false. */
  readonly all?: boolean | undefined;
  /** Called with the progress. The answer then comes as server-sent events. */
  readonly onProgress?: ((how: Progress) => void) | undefined;
}

/** Request for the plan of a new question. What is left out has the defaults of `GET /v1/plan`. */
export interface PlanAsked {
  readonly app?: string | undefined;
  readonly type: Forecast['type'];
  /** Its answers, as `murmuration plan` takes them: how many, the edges, the ends of the range. */
  readonly of?: string | undefined;
  readonly atMost?: number | undefined;
  readonly epsilon?: number | undefined;
  readonly every?: PlannedCadence | undefined;
  /** The wanted error, half a 95 % interval. */
  readonly error?: number | undefined;
  readonly share?: number | undefined;
  readonly devices?: number | undefined;
  /** Weeks after which the reader looks. */
  readonly after?: number | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** The errors that are wished for metrics of the app. */
  readonly wishes?: { readonly [metric: string]: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Paged {
  readonly page: PageInfo;
}

/** The estimates of a metric. */
export type EstimatesOf<A> = Omit<MetricEstimates, 'answers'> & Paged & { readonly answers: readonly Typed<AnswerEstimate, A>[] };

/** How a text goes with the lists that are asked together with it. */
export type AssociationOf = MetricAssociation & Paged & { readonly strings: readonly AssociationRow[] };

/** The series of a metric. */
export type SeriesOf<A> = Series &
  Paged & { readonly points: readonly (Omit<SeriesPoint, 'answers'> & { readonly answers: readonly Typed<PointAnswer, A>[] })[] };

/** A comparison of two selections: b minus a. */
export type ComparisonOf<A> = Comparison & Paged & { readonly differences: readonly Typed<Difference, A>[] };

/** The strings of a metric: those that are there, and what the whole distribution looks like. */
export type StringsOf<A> = MetricStrings & Paged & { readonly strings: readonly Typed<DecodedString, A>[] };
