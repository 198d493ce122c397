/**
 * The bytes of a report (docs/format.md, section 2). They are determined by the shape of its tally alone: the cohort big-endian, then
 * either a symbol big-endian or one bit for each cell. Every mechanism gets its codec from this file, and the collector counts reports by
 * the same shape, so decoding and counting cannot disagree.
 */

import { readBase64url } from '../encoding/base64url.ts';
import { bitBytes, ones } from '../encoding/bits.ts';
import { bytesFor } from '../encoding/bytes.ts';
import type { Channel, DistributionChannel, Estimand, InputsChannel, Mechanism, PrefixChannel, Report, TallyShape } from './law.ts';

/** The number of ones in a word, by sums over ever wider fields (Warren, Hacker's Delight, 2nd edition, §5-1). */
export function onesOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * How reports of one shape are packed into 32-bit words, which is the form in which they are added up. The first word is the cohort. Then
 * follows the symbol, or the bits with bit i at mask 1 << (i & 7) of byte i >> 3 and unused bits zero.
 */
export interface Packing {
  /** The size of a report on the wire, in bytes. */
  readonly bytes: number;
  /** The size of a packed report, in words. */
  readonly words: number;
  /**
   * Writes a report at word index `at`. `bytes` is a view of the words' own buffer, from its first byte on.
   *
   * @throws {RangeError} unless the text is base64url of a report, each in its one canonical form
   */
  readonly pack: (payload: string, words: Int32Array, bytes: Uint8Array, at: number) => void;
  /** The same, from bytes instead of text. */
  readonly packBytes: (report: Uint8Array, words: Int32Array, bytes: Uint8Array, at: number) => void;
}

/** The packing of reports of a shape. */
export function packingOf({ cohorts, cells, form, ones, limits }: TallyShape): Packing {
  const cohortBytes = bytesFor(cohorts - 1);
  const body = form === 'bits' ? bitBytes(cells) : bytesFor(cells - 1);
  const words = 1 + (form === 'bits' ? (cells + 31) >> 5 : 1);
  const length = cohortBytes + body;
  const from = 4 - cohortBytes; // the cohort is right-aligned in its word, so the rest starts at a word boundary

  /** Validates the report's bytes in place and turns numbers into words. */
  const settle = (into: Int32Array, bytes: Uint8Array, at: number): void => {
    const start = 4 * at;
    let cohort = 0;
    for (let i = start + from; i < start + 4; i++) cohort = cohort * 256 + (bytes[i] as number);
    if (cohort >= cohorts) throw new RangeError(`expected a cohort below ${cohorts}, got ${cohort}`);
    into[at] = cohort;
    const end = start + 4 + body;
    if (form === 'symbol') {
      let symbol = 0;
      for (let i = start + 4; i < end; i++) symbol = symbol * 256 + (bytes[i] as number);
      if (symbol >= cells) throw new RangeError(`expected an answer below ${cells}, got ${symbol}`);
      into[at + 1] = symbol;
      return;
    }
    for (let i = end; i < start + 4 * words; i++) bytes[i] = 0;
    const padding = (cells & 7) === 0 ? 0 : (bytes[end - 1] as number) >> (cells & 7);
    if (padding !== 0) throw new RangeError(`expected padding bits after bit ${cells - 1} to be zero, got others`);
    const limit = limits?.[cohort] ?? (ones === undefined ? undefined : { cells, ones });
    if (limit === undefined) return;
    let got = 0;
    for (let i = at + 1; i < at + words; i++) got += onesOf(into[i] as number);
    if (got !== limit.ones) throw new RangeError(`expected a set of ${limit.ones} answers, got ${got}`);
    for (let cell = limit.cells; cell < cells; cell++) {
      if (((bytes[start + 4 + (cell >> 3)] as number) >> (cell & 7)) & 1)
        throw new RangeError(`expected an answer below ${limit.cells}, got ${cell}`);
    }
  };

  return {
    bytes: length,
    words,
    pack: (payload, into, bytes, at) => {
      const count = readBase64url(payload, bytes, 4 * at + from, length);
      if (count !== length) {
        throw new RangeError(`expected canonical base64url of ${length} bytes without padding, got ${payload.length} characters`);
      }
      settle(into, bytes, at);
    },
    packBytes: (report, into, bytes, at) => {
      if (report.length !== length) throw new RangeError(`expected ${length} bytes, got ${report.length}`);
      bytes.set(report, 4 * at + from);
      settle(into, bytes, at);
    },
  };
}

/** The report stored in the words at `at`. */
export function unpackReport({ form, cells }: TallyShape, { words }: Pick<Packing, 'words'>, packed: Int32Array, at: number): Report {
  const cohort = packed[at] as number;
  if (form === 'symbol') return { cohort, cells: [packed[at + 1] as number] };
  const bytes = new Uint8Array(packed.buffer, packed.byteOffset + 4 * (at + 1), 4 * (words - 1));
  return { cohort, cells: ones(bytes, cells) };
}

/** A report from its bytes. */
function decodeReport(shape: TallyShape, packing: Packing, report: Uint8Array): Report {
  const words = new Int32Array(packing.words);
  packing.packBytes(report, words, new Uint8Array(words.buffer), 0);
  return unpackReport(shape, packing, words, 0);
}

/** A mechanism without the members that follow from its shape. */
type Uncoded<M> = Omit<M, 'reportBytes' | 'decode'>;

/** Adds the codec of its shape to a mechanism. It has no side effects, so a bundler can drop what a device does not use. */
export function coded<L>(mechanism: Uncoded<Mechanism<L>>): Mechanism<L>;
export function coded<L>(mechanism: Uncoded<DistributionChannel<L>>): DistributionChannel<L>;
export function coded<L>(mechanism: Uncoded<InputsChannel<L>>): InputsChannel<L>;
export function coded<L>(mechanism: Uncoded<PrefixChannel<L>>): PrefixChannel<L>;
export function coded<L, T extends Estimand>(mechanism: Uncoded<Channel<L, T>>): Channel<L, T>;
export function coded<L>(mechanism: Uncoded<Channel<L>>): Channel<L> {
  const { shape } = mechanism;
  return {
    ...mechanism,
    reportBytes: (law) => packingOf(shape(law)).bytes,
    decode: (law, bytes) => decodeReport(shape(law), packingOf(shape(law)), bytes),
  };
}
