/** @module The small script for pages without a build: flag and choice, on the global `murmuration`. */

import { choiceAnswering, flagAnswering } from '@murmuration/shared';
import * as mechanisms from '../randomizers/mechanisms.ts';
import { schemaReader } from './from-json.ts';

export { choice } from '../questions/choice.ts';
export { flag } from '../questions/flag.ts';
export { defineSchema } from '../schema.ts';
export { createTelemetry } from '../telemetry.ts';

/**
 * Reads a schema from the JSON that `murmuration schema --json` prints.
 *
 * @throws {RangeError} for a question or a mechanism that this script does not contain
 */
export const schemaFromJson: ReturnType<typeof schemaReader> = schemaReader({
  answerings: { flag: flagAnswering, choice: choiceAnswering },
  mechanisms: [mechanisms.kAry, mechanisms.subset],
});
