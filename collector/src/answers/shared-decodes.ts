/**
 * Decodes that collectors on one database share. The first that is asked claims the decode in a table and computes it; the others tell how
 * far it is, and take its answer. A claim holds for ten seconds and is prolonged each second, so another collector takes over from one that
 * is gone. Only the database's clock counts. Answers stay for minutes, since most are old when the next report comes.
 */

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { Database } from '../storage/postgres/database.ts';
import { leaseOn, newClaim, whileHeld } from '../storage/postgres/lease.ts';
import { SCHEMA } from '../storage/postgres/tables.ts';
import type { PostgresSource } from '../storage/store.ts';
import type { DecodeTask, Progress } from './decoded-strings.ts';
import { type PackedAnswer, sizeOf } from './packed-answer.ts';
import type { Candidates } from './tasks.ts';

const lease = leaseOn({ key: ['task', 'source'], until: 'held', seconds: 10 });

/** How long an answer stays. */
const KEPT_SECONDS = 300;

/** Milliseconds between two prolongations of a claim, and between two looks at another collector's. */
const PROLONG = 1_000;
const LOOK = 250;

/** Answers that stay, and bytes of one. Longer ones are computed by each collector that is asked. */
const MOST_KEPT = 64;
const MOST_BYTES = 2 ** 21;

/** Options of shared decodes. */
export interface SharedDecodesOptions {
  readonly source: PostgresSource;
  /** The strings that this collector looks for, and its version: collectors that differ in either do not share. */
  readonly candidates: Candidates;
  readonly version: string;
}

/** Computes an answer, and tells how far it is. */
export type Compute = (tell: (how: Progress) => void) => Promise<PackedAnswer>;

/** State of a shared decode: an answer, or another collector's progress as JSON. Otherwise the decode is claimed. */
type Look = { readonly answer: PackedAnswer } | { readonly progress: string } | 'claimed';

const WAITING: Progress = { stage: 'waiting' };

const FIND = `
  SELECT source FROM ${SCHEMA}.decoded
    WHERE task = $1 AND begun >= now() - $2 * interval '1 millisecond' AND (answer IS NOT NULL OR ${lease.isHeld})
    ORDER BY begun DESC LIMIT 1`;
const READ = `SELECT answer, progress FROM ${SCHEMA}.decoded WHERE ${lease.ofKey} AND (answer IS NOT NULL OR ${lease.isHeld})`;
const CLAIM = `
  INSERT INTO ${SCHEMA}.decoded AS old (task, source, claim, begun, held) VALUES ($1, $2, $3, now(), ${lease.end})
    ON CONFLICT (task, source) DO UPDATE SET claim = excluded.claim, begun = excluded.begun, held = excluded.held, progress = NULL
      WHERE old.answer IS NULL AND old.held <= now()
    RETURNING 1`;
const PROLONG_CLAIM = `UPDATE ${SCHEMA}.decoded SET held = ${lease.end}, progress = $4 WHERE ${lease.ofClaim} AND answer IS NULL`;
const KEEP = `UPDATE ${SCHEMA}.decoded SET held = now(), answer = $4 WHERE ${lease.ofClaim} AND answer IS NULL`;
const GIVE_BACK = `DELETE FROM ${SCHEMA}.decoded WHERE ${lease.ofClaim} AND answer IS NULL`;
const TIDY = `
  DELETE FROM ${SCHEMA}.decoded WHERE held < now() - ${KEPT_SECONDS} * interval '1 second' OR (task, source) IN (
    SELECT task, source FROM ${SCHEMA}.decoded WHERE answer IS NOT NULL ORDER BY held DESC OFFSET ${MOST_KEPT})`;

const hashOf = (...parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** Decodes of all collectors on a database. */
export class SharedDecodes {
  readonly #database: Database;
  readonly #version: string;
  readonly #lists: ReadonlyMap<string, string>;
  readonly #writing = new Set<Promise<unknown>>();
  #tidying: NodeJS.Timeout | undefined;

  constructor({ source, candidates, version }: SharedDecodesOptions) {
    this.#database = new Database(source, { connections: 1, isGuarded: false });
    this.#version = version;
    this.#lists = new Map([...candidates].map(([metric, list]) => [metric, hashOf(list)]));
    this.#tidy();
  }

  /** The source of an answer to this task that was begun at most so many milliseconds ago, if there is one or will be. */
  async find(task: DecodeTask, maxAge: number): Promise<string | undefined> {
    const [[source] = []] = await this.#database.transaction((query) => query(FIND, [this.#keyOf(task), maxAge]));
    return source === undefined ? undefined : String(source);
  }

  /**
   * The answer to a task from tallies of this source: that of another collector, or what `compute` resolves to.
   *
   * @throws the signal's reason, or what `compute` throws
   */
  async answer(
    task: DecodeTask,
    source: string,
    signal: AbortSignal,
    tell: (how: Progress) => void,
    compute: Compute,
  ): Promise<PackedAnswer> {
    const key = [this.#keyOf(task), source, newClaim()] as const;
    for (let told = ''; ; ) {
      const found = await this.#look(key);
      if (found === 'claimed') return this.#compute(key, tell, compute);
      if ('answer' in found) return found.answer;
      if (found.progress !== told) tell(JSON.parse(found.progress) as Progress);
      told = found.progress;
      await sleep(LOOK, undefined, { signal });
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#tidying);
    await Promise.all(this.#writing);
    await this.#database.close();
  }

  #keyOf(task: DecodeTask): string {
    return hashOf(this.#version, this.#lists.get(task.of[0].metric.metric), task);
  }

  /** Reads what another collector has, or claims the decode. */
  #look([task, source, claim]: readonly [string, string, string]): Promise<Look> {
    return this.#database.transaction(async (query): Promise<Look> => {
      const [[answer, progress] = []] = await query(READ, [task, source]);
      if (answer) return { answer: deserialize(answer as Buffer) as PackedAnswer };
      const isHeld = answer === null || (await query(CLAIM, [task, source, claim])).length === 0;
      if (!isHeld) return 'claimed';
      return { progress: String(progress ?? JSON.stringify(WAITING)) };
    });
  }

  async #compute(key: readonly string[], tell: (how: Progress) => void, compute: Compute): Promise<PackedAnswer> {
    let progress = WAITING;
    const prolong = async (): Promise<void> => this.#write(PROLONG_CLAIM, [...key, JSON.stringify(progress)]);
    try {
      const answer = await whileHeld(prolong, PROLONG, () =>
        compute((how) => {
          progress = how;
          tell(how);
        }),
      );
      if (sizeOf(answer) > MOST_BYTES) this.#write(GIVE_BACK, key);
      else this.#write(KEEP, [...key, serialize(answer)]);
      return answer;
    } catch (error) {
      this.#write(GIVE_BACK, key);
      throw error;
    }
  }

  /** Writes in the background. What fails is left to the end of the claim. */
  #write(sql: string, values: readonly unknown[]): void {
    const written: Promise<unknown> = this.#database
      .transaction((query) => query(sql, values))
      .catch(() => undefined)
      .then(() => this.#writing.delete(written));
    this.#writing.add(written);
    if (sql === KEEP) this.#tidy();
  }

  /** Deletes what is old, and looks again when the newest answer is. */
  #tidy(): void {
    clearTimeout(this.#tidying);
    this.#tidying = setTimeout(() => this.#tidy(), 1_000 * (KEPT_SECONDS + 1)).unref();
    this.#write(TIDY, []);
  }
}
