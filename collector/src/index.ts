/** @module The collector: ingest, exactly-once tallies, estimators with honest error bars. */

export { type Collector, createCollector } from './collector.ts';
export type { AnswerEstimate, MetricEstimates, Truth } from './estimates/estimates.ts';
export { momentsOf } from './estimators/covariance.ts';
export type { Estimate } from './estimators/estimate.ts';
export { estimatesOf } from './estimators/estimator.ts';
export type { Moments, Population } from './estimators/moments.ts';
export { type AcceptedBatch, parseBatch, publish } from './ingest/parse-batch.ts';
export type { CollectorOptions } from './options.ts';
export { participation, type Queryable } from './release/query/builder.ts';
export { type RangeSum, rangeSum } from './release/query/days.ts';
export type { Measure, Question } from './release/query/question.ts';
export { createCatalog, parseDocument } from './schemas/catalog.ts';
export { sampler } from './simulate/distribution.ts';
export { type Agreement, agreement } from './statistics/agreement.ts';
export { chiSquaredTail } from './statistics/chi-squared.ts';
export type { Tallies, Tally } from './store/store.ts';
export { foldBatches } from './store/unfolded.ts';
export { type Watch, watchOf } from './watch/watch.ts';
