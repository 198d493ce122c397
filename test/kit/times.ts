/** Finds times finer than a day in what a store keeps: as numbers, in text, and in bytes, however computers write them. */

/** Milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Units, as what a millisecond is of them, and the nanoseconds that they have. */
const UNITS: readonly (readonly [name: string, nanoseconds: bigint])[] = [
  ['hours', 3_600_000_000_000n],
  ['minutes', 60_000_000_000n],
  ['seconds', 1_000_000_000n],
  ['milliseconds', 1_000_000n],
  ['microseconds', 1_000n],
  ['nanoseconds', 1n],
];

/** The unit in which a number is a time of the span. */
function unitOf(number: bigint, { from, to }: Span): string | undefined {
  const [first, last] = [BigInt(from) * 1_000_000n, BigInt(to + 1) * 1_000_000n];
  return UNITS.find(([, unit]) => first / unit <= number && number <= last / unit)?.[0];
}

/** Bytes that hold a number, and the units in which that many hold one. (Two bytes less would hit by chance in random ids.) */
const WIDTHS: readonly (readonly [bytes: number, units: readonly string[]])[] = [
  [4, ['seconds']],
  [6, ['milliseconds']],
  [8, ['milliseconds', 'microseconds', 'nanoseconds']],
];

/** Times in bytes at any offset. Four bytes are within a few seconds by chance once in 10^9 offsets, so that takes three of them. */
function timesInBytes(bytes: Uint8Array, span: Span): readonly string[] {
  const buffer = Buffer.from(bytes);
  return WIDTHS.flatMap(([width, units]) => {
    const found: string[] = [];
    for (let at = 0; at + width <= buffer.length; at++) {
      const part = buffer.subarray(at, at + width);
      for (const hex of [part.toString('hex'), Buffer.from(part).reverse().toString('hex')]) {
        const unit = unitOf(BigInt(`0x${hex}`), span);
        if (unit !== undefined && units.includes(unit)) found.push(`${unit} in ${width} bytes`);
      }
    }
    const doubles = width === 8 ? [...Array(Math.max(0, buffer.length - 7)).keys()] : [];
    for (const at of doubles)
      for (const number of [buffer.readDoubleBE(at), buffer.readDoubleLE(at)]) {
        const unit = number > 1e9 && number < 1e13 ? unitOf(BigInt(Math.floor(number)), span) : undefined;
        if (unit !== undefined) found.push(`${unit} in a double`);
      }
    return found.length >= (width === 4 ? 3 : 1) ? found : [];
  });
}

function timesInText(text: string, span: Span): readonly string[] {
  const clock = /\b\d\d:\d\d(?::\d\d)?\b/.exec(text)?.[0];
  const numbers = (text.match(/\d{5,19}/g) ?? []).flatMap((digits) => unitOf(BigInt(digits), span) ?? []);
  const hex = (text.match(/[0-9a-f][0-9a-f-]{10,}[0-9a-f]/gi) ?? []).map((digits) => Buffer.from(digits.replaceAll('-', ''), 'hex'));
  const base64 = (text.match(/[\w+/-]{8,}/g) ?? []).map((digits) => Buffer.from(digits, 'base64url'));
  return [
    ...(clock === undefined ? [] : [`the clock ${clock}`]),
    ...numbers.map((unit) => `${unit} in digits`),
    ...timesInBytes(Buffer.concat([...hex, ...base64]), span),
  ];
}

/** The forms in which values of a column are times of the span. What holds times by its type is found whenever they are. */
export function timesIn(values: readonly unknown[], span: Span): readonly string[] {
  const bytes = values.flatMap((value) => (value instanceof Uint8Array ? [value] : []));
  const found = values.flatMap((value): readonly string[] => {
    if (value instanceof Date) return value.getTime() % 86_400_000 === 0 ? [] : ['a time by its type'];
    if (typeof value === 'bigint') return [unitOf(value, span) ?? []].flat();
    if (typeof value === 'number') return [unitOf(BigInt(Math.floor(value)), span) ?? []].flat();
    return [];
  });
  const texts = values.flatMap((value) => (typeof value === 'string' ? [value] : []));
  return [...new Set([...found, ...timesInText(texts.join('\n'), span), ...timesInBytes(Buffer.concat(bytes), span)])];
}
