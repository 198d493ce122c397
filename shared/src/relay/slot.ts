/**
 * Slots of the calendar, for which tokens are issued: a token is good for one report of one metric in one slot. Slots begin on days that are
 * a multiple of their length. An honest device's reports of a metric are at least one length apart, so no two are of one slot.
 */

import { type Cadence, DAYS } from '../calendar.ts';

/** The slot of a day: 0 begins on 1970-01-01. A metric that is answered once has one slot for ever. */
export const slotOf = (every: Cadence, day: number): number => Math.floor(day / DAYS[every]);

/** The first and the last day of a slot. */
export const slotDays = (every: Cadence, slot: number): readonly [first: number, last: number] => [
  slot * DAYS[every],
  (slot + 1) * DAYS[every] - 1,
];

/**
 * A slot as a token names it, publicly (`info` of RFC 9497). The length is part of it, since another version of the schema may ask the same
 * metric more often. An app's name has no slash, and the metric stands last, so no two slots have one name.
 */
export const slotName = (app: string, metric: string, every: Cadence, slot: number): string => `${app}/${DAYS[every]}/${slot}/${metric}`;

/** The private input of a token: the batch for which it is good. A collector tells batches apart by their id and their day. */
export const tokenInput = (batch: string, day: number): string => `${day}/${batch}`;

/** The bytes of a token: the first 32 of an output of RFC 9497. */
export const TOKEN_BYTES = 32;

/** The value of a request's field `authorization`, before the token in base64url. */
export const TOKEN_SCHEME = 'PrivateToken token=';
