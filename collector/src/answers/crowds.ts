/**
 * Crowds: whether as many reports came in each group as their schema expects (`together`, docs/shuffle.md). A group has one question,
 * version, day and combination of segments, and groups of 30 closed days count. It is one bit for a schema, never a number, and can only
 * refute the expectation: invented reports count as well.
 */

import { ACCEPTED_DAYS, dayNumber, type SchemaDocument, wireName } from '@murmuration/shared';
import type { ReportCount } from '../release/table/participation.ts';
import type { Reading } from '../release/table/reading.ts';

/** Closed days that are looked at. */
const DAYS = 30;

/** True if all groups that have reports have enough of them; undefined if there is none. */
const isReached = (groups: readonly Pick<ReportCount, 'reports'>[], together: number): boolean | undefined =>
  groups.length === 0 ? undefined : groups.every(({ reports }) => reports >= together);

/** Tells of a schema with `together` whether it was reached; undefined while no closed day has a report, and of other schemas. */
export type Crowds = (document: SchemaDocument) => Promise<boolean | undefined>;

export const createCrowds =
  (reading: Pick<Reading, 'read'>, now: () => number): Crowds =>
  async (document) => {
    const { together, metrics } = document;
    if (together === undefined) return undefined;
    const to = dayNumber(now()) - ACCEPTED_DAYS.before - 1;
    const wanted = { schemas: [wireName(document)], metrics: Object.keys(metrics), from: to - DAYS + 1, to };
    const { rows, firstDay } = await reading.read(wanted);
    return isReached(firstDay > wanted.from ? (await reading.read({ ...wanted, from: firstDay })).rows : rows, together);
  };
