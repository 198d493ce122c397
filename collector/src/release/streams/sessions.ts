/** What streams have learned so far, kept in memory: to learn it again from all hard answers may take half a second. None of it is secret. */

import type { Interactive, Session } from '../mechanisms/interactive.ts';
import { questionOf } from './cells.ts';
import { mechanismOf } from './design.ts';
import { designOptionsOf, type Stream, type StreamAnswer } from './stream.ts';

/** The most streams that are kept: one may take 64 MiB. */
const MOST_KEPT = 4;

interface Kept {
  readonly mechanism: Interactive;
  /** Without its threshold. */
  readonly session: Session;
  /** The hashes of the stream and of all hard answers that it has learned from, in order. */
  readonly hashes: readonly string[];
}

/** The sessions of streams. */
export class Sessions {
  readonly #kept = new Map<number, Kept>();

  /** The mechanism of a stream, and its session after all hard answers. The ledger's hashes tell whether what is kept belongs to them. */
  of(stream: Stream, answers: readonly StreamAnswer[]): Pick<Kept, 'mechanism' | 'session'> {
    const hard = answers.filter(({ kind }) => kind === 'hard');
    const hashes = [stream.entry.hash, ...hard.map(({ entry }) => entry.hash)];
    const known = this.#kept.get(stream.stream);
    const isPart = known?.hashes.every((hash, i) => hash === hashes[i]) ?? false;
    const { mechanism, session } = known !== undefined && isPart ? known : fresh(stream);
    const learned = mechanism.hard - session.left;
    const now = hard
      .slice(learned)
      .reduce((before, { where, value }) => mechanism.learn(before, { query: questionOf(stream.columns, where).cells, value }), session);
    this.#kept.delete(stream.stream);
    this.#kept.set(stream.stream, { mechanism, session: now, hashes });
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest);
    return { mechanism, session: now };
  }
}

function fresh(stream: Stream): Pick<Kept, 'mechanism' | 'session'> {
  const mechanism = mechanismOf(designOptionsOf(stream), stream, stream.total);
  return { mechanism, session: mechanism.resume(0, []) };
}
