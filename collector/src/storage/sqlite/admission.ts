/** Decides for each batch of a group whether it is counted, known already, or refused: too late, or without room for what is new in it. */

import type { DatabaseSync } from 'node:sqlite';
import { type Packing, packingOf } from '@murmuration/shared';
import type { Shapes } from '../../schemas/published.ts';
import type { AppIds, Holding } from '../app-ids.ts';
import { batchesOf, type Group, HASH, HEAD, ID, type Partition } from '../group.ts';
import { appOf, type Room } from '../room.ts';
import type { Appended } from '../store.ts';
import type { UnfoldedReports } from '../tallying/unfolded.ts';
import { IdSet } from './id-set.ts';
import type { Ids, Known } from './ids.ts';
import { RESULTS } from './protocol.ts';

const APPENDED: { readonly [known in Known]: Appended } = { new: 'counted', same: 'duplicate', other: 'conflict' };

/** The fewest words of a report: its metric, its cohort, and one for its symbol or bits. */
const LEAST_WORDS = 3;

/** What the store holds when a group arrives. */
export interface Held {
  readonly ids: Ids;
  readonly appIds: AppIds;
  readonly room: Room;
  readonly pending: UnfoldedReports;
  /** Batches of days before this one are refused. */
  readonly closed: number;
}

/** The result for each batch of a group, and the words at which the batches that are counted begin. */
export interface Judged {
  readonly results: Uint8Array;
  readonly counted: readonly number[];
}

const sameWords = (words: Int32Array, a: number, b: number, from: number, to: number): boolean => {
  for (let i = from; i < to; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
};

/** Returns the function that decides. It writes nothing. */
export function createAdmission(database: DatabaseSync, shapes: Shapes): (group: Group, held: Held) => Judged {
  const isRow = database.prepare(
    `SELECT 1 FROM tally WHERE metric = (SELECT n FROM metric WHERE schema = ? AND name = ?) AND day = ?
      AND segment = (SELECT n FROM segment WHERE json = ?) AND cohort = ?`,
  );
  const packings = new Map<string, readonly Packing[]>();
  const packingsOf = (schema: string): readonly Packing[] => {
    const known = packings.get(schema) ?? (shapes.get(schema) ?? []).map(({ shape }) => packingOf(shape));
    packings.set(schema, known);
    return known;
  };

  /** Whether each report of a batch has its row already. */
  const opensNothing = (words: Int32Array, start: number, [schema, day, segment]: Partition, pending: UnfoldedReports): boolean => {
    const end = start + HEAD + (words[start + 1] as number);
    for (let at = start + HEAD; at < end; ) {
      const [number, cohort] = [words[at] as number, words[at + 1] as number];
      const isPending = pending.has([schema, day, segment], number, cohort);
      if (!isPending && isRow.get(schema, shapes.get(schema)?.[number]?.name ?? '', day, segment, cohort) === undefined) return false;
      at += 1 + (packingsOf(schema)[number] as Packing).words;
    }
    return true;
  };

  return ({ words, partitions }, { ids, appIds, room, pending, closed }) => {
    const all = batchesOf(words);
    const here = new IdSet();
    /** The rows that batches of each partition may still open. Partitions of one app and day share them. */
    const places = new Map<string, { left: number }>();
    const quota = appIds.quota(ids.count);
    const holdings = partitions.map(([schema]) => quota.holdingOf(appOf(schema)));
    const lefts = partitions.map(([schema, day]) => {
      const app = appOf(schema);
      const place = places.get(`${app}\n${day}`) ?? { left: room.leftOf(app, day) - pending.rowsOf(app, day) };
      places.set(`${app}\n${day}`, place);
      return place;
    });
    const judgeNew = (start: number, i: number, partition: Partition): Appended => {
      const first = here.find(words, start + ID, (number) => sameWords(words, all[number] as number, start, ID, HASH));
      if (first >= 0) return sameWords(words, all[first] as number, start, HASH, HEAD) ? 'duplicate' : 'conflict';
      const holding = holdings[words[start] as number] as Holding;
      if (!quota.hasRoom(holding)) return 'full';
      const place = lefts[words[start] as number] as { left: number };
      const most = Math.floor((words[start + 1] as number) / LEAST_WORDS);
      if (most <= place.left) place.left -= most;
      else if (!opensNothing(words, start, partition, pending)) return 'full';
      here.add(words, start + ID, i, 0);
      quota.take(holding);
      return 'counted';
    };
    const judge = (start: number, i: number): Appended => {
      const partition = partitions[words[start] as number] as Partition;
      if (partition[1] < closed) return 'expired';
      const known = ids.known(words, start);
      return known === 'new' ? judgeNew(start, i, partition) : APPENDED[known];
    };
    const appended = all.map(judge);
    return {
      results: Uint8Array.from(appended, (each) => RESULTS.indexOf(each)),
      counted: all.filter((_, i) => appended[i] === 'counted'),
    };
  };
}
