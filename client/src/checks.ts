/** The checks of what an app passes in: in development only, as those of its schema. */

import { conform, isOneOf, isText, isWhole, optional, rule, type Segments } from '@murmuration/shared';
import type { DeviceQuestions } from './questions.ts';
import type { Options } from './types.ts';

const isShare = rule('a number above 0, at most 1', (share: number) => share > 0 && share <= 1);

/** @throws {RangeError} that names the option, what was expected and what came */
export function assertOptions<M extends DeviceQuestions, S extends Segments>(options: Options<M, S>): void {
  const { endpoint, schema, segment, upload, sample, batchesPerDay } = options;
  const segments = Object.entries(schema.document.segments ?? {});
  isText('endpoint', endpoint);
  conform(Object.fromEntries(segments.map(([name, values]) => [name, isOneOf(values)])))('segment', segment);
  optional(isOneOf(['soon', 'later']))('upload', upload);
  optional(isShare)('sample', sample);
  optional(isWhole)('batchesPerDay', batchesPerDay);
}
