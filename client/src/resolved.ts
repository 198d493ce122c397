/**
 * @module Parts of a schema whose laws are known: those that `@murmuration/client/plugin` writes into an app in place of `defineSchema`. Apps
 * need nothing of it by name.
 */

export {
  bestAnswering,
  choiceAnswering,
  choicesAnswering,
  countAnswering,
  distributionAnswering,
  flagAnswering,
  histogramAnswering,
  jointAnswering,
  meanAnswering,
  partsAnswering,
  textAnswering,
} from '@murmuration/shared';
export { isAssigned } from './ledger/participation.ts';
export { batching, consenting, identifying, sampling } from './options.ts';
export { begin, replace } from './otherwise.ts';
export { storing } from './questions/permanent.ts';
export type { Randomizing, ResolvedQuestion, ResolvedQuestions } from './questions/question.ts';
export * from './randomizers/mechanisms.ts';
export { start } from './telemetry.ts';
