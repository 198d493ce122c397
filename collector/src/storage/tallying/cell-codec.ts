/**
 * The counts of a tally as bytes, exactly and in the shorter of two forms. A vector gives each cell equally many bits: the fewest of 1, 2,
 * 4, 8, 16, 32 and 64 that hold the largest count. A list has only the cells that are not 0, which is shorter while a tally has few reports.
 *
 * The first byte is the number of bits a cell, 0 for a list; then the number of cells. A list has, for each cell that is not 0, twice the
 * number of zeros before it, plus 1 if the count is above 1; and then, if it is, the count minus 2. Numbers are in base 128, least digit
 * first, and the last digit is below 128. Vectors are little-endian; 64 bits are a double.
 */

const LIST = 0;
const WIDTHS = [1, 2, 4, 8, 16, 32, 64];
/** Bytes of the longest number below 2^53 in base 128. */
const LONGEST = 8;

/** The bytes that a number takes in base 128. */
export function lengthOf(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes a number at an offset, and returns the offset after it. */
export function put(bytes: Uint8Array, at: number, value: number): number {
  let [end, rest] = [at, value];
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[end++] = 128 + (rest % 128);
  bytes[end++] = rest;
  return end;
}

/** Reads numbers one after the other. */
export class Numbers {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  at: number;

  constructor(bytes: Uint8Array, at: number, end: number = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
  }

  get isDone(): boolean {
    return this.at >= this.#end;
  }

  next(): number {
    const from = this.at;
    for (let [value, unit] = [0, 1]; this.at < this.#end && this.at < from + LONGEST; unit *= 128) {
      const digit = this.#bytes[this.at++] as number;
      if (digit < 128) return value + digit * unit;
      value += (digit - 128) * unit;
    }
    throw new RangeError(`expected a number that ends, got ${this.at - from} bytes`);
  }
}

/**
 * The largest count, and the bytes of the list. (Here and below, loops count: an iterator would take most of the time of a fold.)
 *
 * @throws {RangeError} at anything else than a count
 */
function measure(cells: Float64Array): { readonly most: number; readonly bytes: number } {
  let [most, bytes, zeros] = [0, 0, 0];
  for (let cell = 0; cell < cells.length; cell++) {
    const count = cells[cell] as number;
    if (count === 0) {
      zeros++;
      continue;
    }
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`expected counts from 0 to 2^53 - 1, got ${count}`);
    bytes += zeros < 64 ? 1 : lengthOf(2 * zeros);
    if (count > 1) bytes += lengthOf(count - 2);
    if (count > most) most = count;
    zeros = 0;
  }
  return { most, bytes };
}

const bytesOfVector = (cells: number, width: number): number => Math.ceil((cells * width) / 8);

/** Encodes counts. @throws {RangeError} when one is not a whole number from 0 to 2^53 - 1 */
export function encodeCells(cells: Float64Array): Uint8Array {
  const { most, bytes } = measure(cells);
  const width = WIDTHS.find((bits) => most < 2 ** bits) as number;
  const isList = bytes < bytesOfVector(cells.length, width);
  const head = 1 + lengthOf(cells.length);
  const encoded = new Uint8Array(head + (isList ? bytes : bytesOfVector(cells.length, width)));
  encoded[0] = isList ? LIST : width;
  put(encoded, 1, cells.length);
  if (isList) putList(encoded, head, cells);
  else putVector(encoded, head, cells, width);
  return encoded;
}

function putList(encoded: Uint8Array, head: number, cells: Float64Array): void {
  let [at, zeros] = [head, 0];
  for (let cell = 0; cell < cells.length; cell++) {
    const count = cells[cell] as number;
    if (count === 0) {
      zeros++;
      continue;
    }
    at = put(encoded, at, 2 * zeros + (count > 1 ? 1 : 0));
    if (count > 1) at = put(encoded, at, count - 2);
    zeros = 0;
  }
}

function putVector(encoded: Uint8Array, head: number, cells: Float64Array, width: number): void {
  if (width < 8) {
    const each = 8 / width;
    for (let [cell, at] = [0, head]; cell < cells.length; at++) {
      let byte = 0;
      for (let i = 0; i < each && cell < cells.length; i++) byte |= (cells[cell++] as number) << (width * i);
      encoded[at] = byte;
    }
    return;
  }
  const vector = new (vectorOf(width))(cells);
  encoded.set(new Uint8Array(vector.buffer), head);
}

const vectorOf = (width: number): typeof Float64Array =>
  ({ 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: Float64Array })[width] as typeof Float64Array;

/** The number of cells of encoded counts, from this byte on. @throws {RangeError} when they have none */
export const cellsIn = (bytes: Uint8Array, from = 0, end: number = bytes.length): number => new Numbers(bytes, from + 1, end).next();

/**
 * Adds encoded counts to sums.
 *
 * @param from the offset of the first byte, and that after the last, where the bytes hold more than these counts
 * @throws {RangeError} when they are not the counts of equally many cells
 */
export function addCells(bytes: Uint8Array, sums: Float64Array, from = 0, end: number = bytes.length): void {
  const numbers = new Numbers(bytes, from + 1, end);
  const cells = numbers.next();
  if (cells !== sums.length) throw new RangeError(`expected ${sums.length} cells, got ${cells}`);
  const width = bytes[from] as number;
  if (width === LIST) return addList(numbers, sums);
  const length = numbers.at - from + bytesOfVector(cells, width);
  if (!WIDTHS.includes(width) || end - from !== length)
    throw new RangeError(`expected ${length} bytes with ${WIDTHS.join(', ')} bits a cell, got ${end - from} with ${width}`);
  if (width < 8) addNarrow(bytes, numbers.at, sums, width);
  else addWide(bytes, numbers.at, end, sums, width);
}

function addList(numbers: Numbers, sums: Float64Array): void {
  for (let cell = 0; !numbers.isDone; cell++) {
    const gap = numbers.next();
    cell += Math.floor(gap / 2);
    if (cell >= sums.length) throw new RangeError(`expected a cell below ${sums.length}, got ${cell}`);
    sums[cell] = (sums[cell] as number) + (gap % 2 === 0 ? 1 : numbers.next() + 2);
  }
}

/** Adds cells of 1, 2 or 4 bits. Rows of few reports are nearly all of a year's rows, and this loop is most of the time of reading them. */
function addNarrow(bytes: Uint8Array, head: number, sums: Float64Array, width: number): void {
  const [each, mask] = [8 / width, (1 << width) - 1];
  for (let [first, at] = [0, head]; first < sums.length; first += each, at++) {
    // Bits beyond the last cell are 0.
    for (let [cell, rest] = [first, bytes[at] as number]; rest !== 0; cell++, rest >>= width)
      sums[cell] = (sums[cell] as number) + (rest & mask);
  }
}

function addWide(bytes: Uint8Array, head: number, end: number, sums: Float64Array, width: number): void {
  const { buffer, byteOffset } = bytes;
  const copy = buffer.slice(byteOffset + head, byteOffset + end); // because the counts must be aligned
  const vector = new (vectorOf(width))(copy as ArrayBuffer);
  for (let cell = 0; cell < sums.length; cell++) sums[cell] = (sums[cell] as number) + (vector[cell] as number);
}
