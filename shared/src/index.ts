/** @module The contract between devices and collector: schemas, laws, report encoding, ε arithmetic. */

export { exp, expBelow } from './arithmetic/exponential.ts';
export { lnUp, power, type Ratio, ratio } from './arithmetic/ratio.ts';
export * from './batch.ts';
export * from './calendar.ts';
export * from './encoding/bits.ts';
export * from './encoding/bytes.ts';
export * from './encoding/canonical.ts';
export * from './hashing.ts';
export type { BitStage, BitStages } from './mechanisms/bits.ts';
export * from './mechanisms/geometric.ts';
export * from './mechanisms/k-ary.ts';
export * from './mechanisms/law.ts';
export * from './mechanisms/list.ts';
export * from './mechanisms/number.ts';
export * from './mechanisms/piecewise.ts';
export * from './mechanisms/rappor.ts';
export * from './mechanisms/subset.ts';
export * from './mechanisms/table.ts';
export * from './mechanisms/unary.ts';
export * from './schema/charges.ts';
export { count, namedGeometric } from './schema/count.ts';
export * from './schema/define.ts';
export * from './schema/document.ts';
export { bucketLabels, histogram } from './schema/histogram.ts';
export { mean, placeOf, type Range, rangeOf } from './schema/mean.ts';
export * from './schema/question.ts';
export { conform, isOneOf, isText, MAX_ANSWERS } from './schema/rules.ts';
