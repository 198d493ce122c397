/** The checks of what an app passes in: in development only, as those of its schema. */

import { conform, isOneOf, isText, type Segments } from '@murmuration/shared';

/** @throws {RangeError} when there is no endpoint, or `segment` does not fit the schema */
export function assertOptions(endpoint: unknown, segments: Segments, segment: unknown): void {
  isText('endpoint', endpoint);
  conform(Object.fromEntries(Object.entries(segments).map(([name, values]) => [name, isOneOf(values)])))('segment', segment);
}
