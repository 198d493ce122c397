/**
 * A schema on a device. Code that only some schemas need comes with the schema: `defineSchema` adds all of it, and the build plugin what the
 * metrics use. Where a part is missing that a metric needs, transactions fail, so that nothing is stored or sent.
 */

import * as shared from '@murmuration/shared';
import type { Parts } from './device.ts';
import { isAssigned } from './ledger/participation.ts';
import { begin, replace } from './otherwise.ts';
import type { Schema } from './questions/question.ts';

export const parts: Required<Parts> = { begin, replace, isAssigned };

/**
 * Checks a schema and resolves each metric's law, and whether reports are sent alone (docs/format.md, section 3).
 *
 * @throws {RangeError} that names the field; when a window's charges exceed the budget, with the table of charges. A production bundle
 * contains only the checks that a device needs in order to keep the budget
 */
export const defineSchema = <const M extends shared.Questions, const S extends shared.Segments = Record<never, never>>(
  spec: shared.SchemaSpec<M, S>,
): Schema<M, S> => shared.resolveSchema(spec, parts);
