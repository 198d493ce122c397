/** Batches of a text metric of 4,096 cohorts with 64 segment values, valid, and each with a row of its own in the store if it is to be so. */

import { randomBytes, randomInt } from 'node:crypto';
import { defineSchema, text } from '@murmuration/client';
import { ACCEPTED_DAYS, bigEndian, dayNumber, dayText, toBase64url, wireName } from '@murmuration/shared';

const COHORTS = 4_096;
const BITS = 128;
/** The expected devices for which a text gets that many cohorts. */
const DEVICES = 1_000_000_000;
const PARTS = Array.from({ length: 64 }, (_, i) => `part ${i}`);

export const attacked = defineSchema({
  app: 'attacked',
  version: 1,
  budget: { epsilon: 1, per: 'month' },
  devices: DEVICES,
  segments: { part: PARTS },
  metrics: { word: text({ epsilon: 1, description: 'What is searched for?' }) },
});

const name = wireName(attacked.document);
const headOf = (bytes: number): string =>
  `POST /v1/reports HTTP/1.1\r\nHost: bench\r\nContent-Type: text/plain\r\nContent-Length: ${bytes}\r\n\r\n`;

/** A request whose batch has these cohorts of a segment, each with random bits. */
function requestOf(day: number, part: number, cohorts: readonly number[]): Buffer {
  const reports = cohorts.map((cohort) => ['word', toBase64url(Buffer.concat([bigEndian(cohort, COHORTS - 1), randomBytes(BITS / 8)]))]);
  const segment = { part: PARTS[part % PARTS.length] };
  const body = JSON.stringify({ v: 1, schema: name, day: dayText(day), batch: randomBytes(16).toString('hex'), segment, reports });
  return Buffer.from(headOf(Buffer.byteLength(body)) + body);
}

/** The requests of an attacker: each report opens a row, on all segments of today and then on those of the days before. */
export function opensRows(reports: number): () => Buffer {
  const today = dayNumber(Date.now());
  const blocks = Math.floor(COHORTS / reports);
  let serial = 0;
  return () => {
    const [part, block, day] = [
      serial % PARTS.length,
      Math.floor(serial / PARTS.length) % blocks,
      Math.floor(serial / PARTS.length / blocks),
    ];
    serial++;
    const cohorts = Array.from({ length: reports }, (_, i) => block * reports + i);
    return requestOf(today - (day % ACCEPTED_DAYS.before), part, cohorts);
  };
}

/** The requests of honest devices: one report each, of today. */
export function honest(): () => Buffer {
  const today = dayNumber(Date.now());
  return () => requestOf(today, randomInt(PARTS.length), [randomInt(COHORTS)]);
}
