/** @module The collector: ingest, exactly-once tallies, estimators with honest error bars. */

export { createCatalog, parseDocument } from './catalog.ts';
export { type Collector, type CollectorOptions, openCollector } from './collector.ts';
export type { AnswerEstimate, MetricEstimates, Truth } from './estimates.ts';
export type { Estimate } from './estimators/estimate.ts';
export { estimatesOf } from './estimators/estimator.ts';
