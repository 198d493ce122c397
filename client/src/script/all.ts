/** @module The whole script for pages without a build: every question, every mechanism, the consent question and the inspector, on the global `murmuration`. */

import { answerings } from '@murmuration/shared';
import { storing } from '../questions/permanent.ts';
import * as mechanisms from '../randomizers/mechanisms.ts';
import { schemaReader } from './from-json.ts';

export { askConsent } from '../consent/index.ts';
export { historyOf, withHistory } from '../history.ts';
export * from '../index.ts';
export { openInspector } from '../inspector/index.ts';
export * from '../mechanisms/index.ts';

/**
 * Reads a schema from the JSON that `murmuration schema --json` prints.
 *
 * @throws {RangeError} for a question or a mechanism of a later version
 */
export const schemaFromJson: ReturnType<typeof schemaReader> = schemaReader({
  answerings,
  mechanisms: Object.values(mechanisms),
  storing,
});
