/** What streams have learned so far, kept in memory: to learn it again from all hard answers may take half a second. None of it is secret. */

import type { LedgerTransaction } from '../../storage/release-ledger.ts';
import type { Interactive, Session } from '../mechanisms/interactive.ts';
import { cellsIn } from './cells.ts';
import { mechanismOf } from './design.ts';
import { designOptionsOf, hardAfter, type Stream, type StreamAnswer } from './stream.ts';

/** The most streams that are kept: one may take 64 MiB. */
const MOST_KEPT = 4;

interface Kept {
  readonly mechanism: Interactive;
  /** Without its threshold. */
  readonly session: Session;
  /** The last entry that it has learned from, or that of the stream. Its hash stands for all entries before it. */
  readonly last: { readonly n: number; readonly hash: string };
}

/** What is known of a stream, and the hard answers since. */
interface News {
  /** Undefined if nothing is known that belongs to this ledger. */
  readonly known: Kept | undefined;
  readonly hard: readonly StreamAnswer[];
}

/** The sessions of streams. */
export class Sessions {
  readonly #kept = new Map<number, Kept>();

  /** Reads the hard answers of a stream that are not known. */
  async newsOf(ledger: LedgerTransaction, stream: Stream): Promise<News> {
    const kept = this.#kept.get(stream.stream);
    const [last] = kept === undefined ? [] : await ledger.find({ n: kept.last.n });
    const known = last !== undefined && last.hash === kept?.last.hash ? kept : undefined;
    return { known, hard: await hardAfter(ledger, stream, known?.last.n ?? stream.stream) };
  }

  /** The mechanism of a stream, and its session after all hard answers. */
  learn(stream: Stream, { known = fresh(stream), hard }: News): Pick<Kept, 'mechanism' | 'session'> {
    const { mechanism } = known;
    const session = hard.reduce(
      (before, { where, value }) => mechanism.learn(before, { query: cellsIn(stream.columns, where), value }),
      known.session,
    );
    this.#kept.delete(stream.stream);
    this.#kept.set(stream.stream, { mechanism, session, last: hard.at(-1)?.entry ?? known.last });
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest);
    return { mechanism, session };
  }
}

function fresh(stream: Stream): Kept {
  const mechanism = mechanismOf(designOptionsOf(stream), stream, stream.total);
  return { mechanism, session: mechanism.resume(0, []), last: stream.entry };
}
