/**
 * Decodes string metrics in a thread with a queue of its own, beside ingest and beside other estimates: a long list takes seconds, and nothing
 * else waits for it. Equal questions are decoded once until the tallies change, and everybody who asks hears how far it is.
 */

import { Worker } from 'node:worker_threads';
import { isStringLaw } from '@murmuration/shared';
import { Refusal } from '../base/refusal.ts';
import { createTaskQueue, type Reply, type TaskLimits, threadFile } from '../base/threads.ts';
import type { Store } from '../storage/store.ts';
import { candidateAnswersOf, createMapCache, mapBytesOf } from './candidates.ts';
import type { DecodeNote, DecodeOrder, DecodeTask, Progress } from './decoded-strings.ts';
import type { PackedAnswer } from './packed-answer.ts';
import { AnswerCache, type HeldAnswer } from './packed-answer.ts';
import type { SharedDecodes } from './shared-decodes.ts';
import type { FreshTotals } from './summary.ts';
import type { Candidates } from './tasks.ts';
import { versionsOf } from './tasks.ts';
import type { EstimatesData } from './worker.ts';

/** Milliseconds that the running decode gets when the collector stops. */
const GRACE = 2_000;

/** Bytes of one map: two million strings in 64 cohorts with two hashes, or four thousand in 65,536 cohorts with one. */
const MOST_MAP_BYTES = 2 ** 29;
/** Bytes of all maps that are kept. */
const MOST_KEPT_BYTES = 2 ** 28;

const DECODE_LIMITS: TaskLimits = { mostWaiting: 50, longest: 600_000, longestAlone: 1_000, idle: 10_000 };

/** Options of the service. */
export interface DecodingOptions {
  readonly store: Pick<Store, 'source'>;
  readonly totals: FreshTotals;
  readonly candidates: Candidates;
  /** Where there are other collectors, what they decode. */
  readonly shared?: Pick<SharedDecodes, 'find' | 'answer'> | undefined;
  readonly limits?: TaskLimits;
  /** Bytes of one map. */
  readonly mostMapBytes?: number;
  /** Starts the thread. */
  readonly begin?: (data: EstimatesData) => Worker;
}

/** The decoding service. */
export interface Decoding {
  /**
   * The answer to a task from tallies that are at most this many milliseconds old. The caller releases it. `onProgress` is told at once how
   * far it is, and then whenever that changes.
   *
   * @throws {Refusal} 400 when the list is too long, 503 when too many tasks wait, too much is being sent, or the task took too long
   */
  readonly answer: (task: DecodeTask, maxAge: number, signal: AbortSignal, onProgress?: (how: Progress) => void) => Promise<HeldAnswer>;
  /** The number of tasks that are being computed or wait. */
  readonly waiting: () => number;
  /** Refuses what waits, and ends the thread. */
  readonly close: () => Promise<void>;
}

/** A question that is being decoded: how far it is, and who wants to know. */
interface Followed {
  progress: Progress;
  readonly listeners: Set<(how: Progress) => void>;
}

const isReply = (message: unknown): boolean => !Object.hasOwn(message as object, 'id');
const beginWorker = (data: EstimatesData): Worker => new Worker(threadFile(import.meta.url, 'decode-worker'), { workerData: data });

/** Creates the service. No thread runs until the first question. */
export function createDecoding(options: DecodingOptions): Decoding {
  const { store, totals, candidates, shared, limits = DECODE_LIMITS, mostMapBytes = MOST_MAP_BYTES, begin = beginWorker } = options;
  const notes = new Map<number, (note: DecodeNote) => void>();
  const start = (): Worker => {
    const worker = begin({ source: store.source, candidates });
    return worker.on('message', (message: Reply<PackedAnswer> | DecodeNote) => 'id' in message && notes.get(message.id)?.(message));
  };
  const queue = createTaskQueue<DecodeOrder, PackedAnswer>(start, limits, isReply);
  const cache = new AnswerCache();
  const maps = createMapCache(MOST_KEPT_BYTES);
  const followed = new Map<string, Followed>();
  let last = 0;

  const listOf = ({ of: [{ metric }], settings }: DecodeTask): readonly string[] =>
    settings.candidates ?? candidates.get(metric.metric) ?? [];
  const checkLength = (task: DecodeTask): void => {
    const [{ metric }] = task.of;
    const { law } = metric.document;
    if (!isStringLaw(law)) return;
    // A string that is asked together with lists is looked for with each of their answers.
    const given = listOf(task).length * candidateAnswersOf(metric.document, ['']).length;
    const most = Math.floor(mostMapBytes / mapBytesOf(law, 1));
    if (given > most) throw new Refusal(400, 'too-many-candidates', `at most ${most} strings; murmuration decode takes more`, `${given}`);
  };
  const mapKeyOf = ({ of: [{ metric }], settings }: DecodeTask): string =>
    JSON.stringify([metric.document, settings.candidates ?? { of: metric.metric }]);

  const compute = async (task: DecodeTask, signal: AbortSignal, isWelcome: () => boolean, tell: (how: Progress) => void) => {
    const id = ++last;
    const mapKey = mapKeyOf(task);
    notes.set(id, (note) => {
      if ('map' in note) maps.set(mapKey, note.map);
      else tell(note.progress);
    });
    try {
      return await queue.run({ id, task, map: maps.get(mapKey) }, signal, isWelcome);
    } finally {
      notes.delete(id);
    }
  };

  return {
    answer: async (task, maxAge, signal, onProgress = () => undefined) => {
      checkLength(task);
      const known = maxAge > 0 ? await shared?.find(task, maxAge) : undefined;
      const from = known ?? versionsOf(task, await totals(maxAge));
      const key = `${JSON.stringify(task)} ${from}`;
      const following = followed.get(key) ?? { progress: { stage: 'waiting' }, listeners: new Set() };
      followed.set(key, following);
      following.listeners.add(onProgress);
      const tell = (how: Progress): void => {
        following.progress = how;
        for (const listener of following.listeners) listener(how);
      };
      onProgress(following.progress);
      try {
        return await cache.get(key, signal, (abandoned, isWelcome) => {
          const decode = (told: (how: Progress) => void): Promise<PackedAnswer> => compute(task, abandoned, isWelcome, told);
          return shared === undefined ? decode(tell) : shared.answer(task, from, abandoned, tell, decode);
        });
      } finally {
        following.listeners.delete(onProgress);
        if (following.listeners.size === 0) followed.delete(key);
      }
    },
    waiting: queue.waiting,
    close: async () => {
      await queue.end(GRACE);
      maps.clear();
    },
  };
}
