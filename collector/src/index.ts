/** @module The collector: ingest, exactly-once tallies, estimators with honest error bars. */

export type { AnswerEstimate, MetricEstimates, Truth } from './answers/estimates.ts';
export type { Moments, Population } from './estimation/covariance.ts';
export { type Agreement, agreement, momentsOf } from './estimation/covariance.ts';
export type { Estimate } from './estimation/estimate.ts';
export { estimatesOf } from './estimation/mechanisms/table.ts';
export { sampleRatio } from './estimation/statistics/counts.ts';
export { chiSquaredTail } from './estimation/statistics/tails.ts';
export type { Tallies, Tally } from './estimation/tally.ts';
export { type Watch, watchOf } from './estimation/watch/watch.ts';
export { parseBatch } from './ingest/parse-batch.ts';
export { sampler } from './planning/simulate/simulation.ts';
export { type RangeSum, rangeSum } from './release/measures/days.ts';
export type { Measure } from './release/measures/table.ts';
export type { Question } from './release/query/question.ts';
export { participation, type Queryable } from './release/query/question.ts';
export { createCatalog, parseDocument, publish } from './schemas/catalog.ts';
export { type Collector, createCollector } from './server/collector.ts';
export type { CollectorOptions } from './server/options.ts';
export type { Backend } from './storage/backend.ts';
export { type PostgresBackend, type PostgresChoice, postgres } from './storage/postgres/backend.ts';
export { type SqliteChoice, sqlite } from './storage/sqlite/backend.ts';
export type { AcceptedBatch } from './storage/store.ts';
export { foldBatches } from './storage/tallying/recent-writes.ts';
