/** Answers as bytes of JSON, packed once by the estimates thread. Any page of their rows is sent from the same bytes. */

/** Which of an answer's rows are asked for. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The page in an answer: how many rows there are in all, and which of them follow. */
export interface PageInfo extends Page {
  readonly total: number;
}

/** An answer: an object with one list. */
export interface PackedAnswer {
  /** The object without its list. */
  readonly fields: Uint8Array<ArrayBuffer>;
  /** The name of the list. */
  readonly list: string;
  /** The rows, `ROWS` in each chunk but the last, and each row followed by a comma. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  /** Where each row begins in all chunks together, and where the next would. */
  readonly starts: Uint32Array<ArrayBuffer>;
}

/** Rows of a chunk. */
const ROWS = 1_000;

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Packs an object with one list. */
export function pack(list: string, rows: readonly object[], fields: object): PackedAnswer {
  const starts = new Uint32Array(rows.length + 1);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let end = 0;
  for (let from = 0; from < rows.length; from += ROWS) {
    const texts = rows.slice(from, from + ROWS).map((row) => `${JSON.stringify(row)},`);
    for (const [i, text] of texts.entries()) {
      end += Buffer.byteLength(text);
      starts[from + i + 1] = end;
    }
    chunks.push(encode(texts.join('')));
  }
  return { fields: encode(JSON.stringify(fields)), list, chunks, starts };
}

/** The memory of an answer. */
export const sizeOf = ({ fields, starts }: PackedAnswer): number => fields.length + (starts.at(-1) ?? 0) + starts.byteLength;

/** The buffers of an answer, to be handed to another thread. */
export const buffersOf = ({ fields, chunks, starts }: PackedAnswer): ArrayBuffer[] => [
  fields.buffer,
  starts.buffer,
  ...chunks.map(({ buffer }) => buffer),
];

/** The bytes of the rows from `from` to `to`, without the comma after the last. */
function rowsOf({ chunks, starts }: PackedAnswer, from: number, to: number): readonly Uint8Array[] {
  const [first, last] = [starts[from] as number, from < to ? (starts[to] as number) - 1 : (starts[from] as number)];
  return chunks.slice(Math.floor(from / ROWS), Math.ceil(to / ROWS)).map((chunk, i) => {
    const start = starts[(Math.floor(from / ROWS) + i) * ROWS] as number;
    return chunk.subarray(Math.max(0, first - start), Math.max(0, last - start));
  });
}

/** The parts of a page's JSON, one after the other. The rows are not copied. */
export function partsOf(answer: PackedAnswer, { offset, limit }: Page): readonly Uint8Array[] {
  const { fields, list, starts } = answer;
  const total = starts.length - 1;
  const from = Math.min(offset, total);
  const info: PageInfo = { total, offset, limit };
  const before = fields.subarray(0, -1);
  const middle = encode(`${before.length > 1 ? ',' : ''}"page":${JSON.stringify(info)},${JSON.stringify(list)}:[`);
  return [before, middle, ...rowsOf(answer, from, Math.min(total, from + limit)), encode(']}\n')];
}
