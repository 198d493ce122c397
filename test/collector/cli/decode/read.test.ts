/** Reading google/rappor's files: everything that a CSV file may look like, and every way in which it may be wrong. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { readCounts, readMap, readParams } from '#collector/cli/rappor-files/inputs.ts';
import { anyString } from '../../../setup/any-string.ts';
import { EFFORT } from '../../../setup/effort.ts';
import { csvText, mapRow, type Parameters, paramsText } from './rappor-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-rappor-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
/** A new file. */
function fileOf(content: string | Uint8Array): string {
  const file = join(folder, `${files++}.csv`);
  writeFileSync(file, content);
  return file;
}

type Row = readonly (string | number)[];

/** A way to write a CSV file. */
const dialect = fc.record({
  mark: fc.boolean(),
  line: fc.constantFrom('\n', '\r\n'),
  quotes: fc.constantFrom('all', 'needed', 'strings'),
  last: fc.boolean(),
  empty: fc.boolean(),
  gzip: fc.boolean(),
  scientific: fc.boolean(),
});
type Dialect = typeof dialect extends fc.Arbitrary<infer D> ? D : never;

function fieldIn({ quotes, scientific }: Dialect, value: string | number): string {
  const text = scientific && typeof value === 'number' && Number.isInteger(value) ? value.toExponential() : `${value}`;
  const isQuoted = quotes === 'all' || (quotes === 'strings' && typeof value === 'string') || /[",\r\n]/.test(text);
  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
}

function written(rows: readonly Row[], style: Dialect): Uint8Array {
  const lines = rows.map((row) => row.map((value) => fieldIn(style, value)).join());
  const text = `${style.mark ? '\ufeff' : ''}${lines.join(style.line)}${style.last ? style.line : ''}${style.empty ? `${style.line}${style.line}` : ''}`;
  return style.gzip ? gzipSync(text) : Buffer.from(text);
}

const HEADER = ['k', 'h', 'm', 'p', 'q', 'f'];
const parameters: fc.Arbitrary<Parameters> = fc.record({
  k: fc.integer({ min: 1, max: 12 }),
  h: fc.integer({ min: 1, max: 3 }),
  m: fc.integer({ min: 1, max: 5 }),
  p: fc.constantFrom(0, 0.25, 0.5),
  q: fc.constantFrom(0.75, 1),
  f: fc.constantFrom(0, 0.5),
});
/** A string. What a file begins with may be taken for its mark. */
const name = fc
  .oneof(anyString(8), fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', ' ', 'ö', 'a'), maxLength: 6 }))
  .filter((text) => !text.startsWith('\ufeff'));

test('whatever marks, quotes, line ends and packing they have, files are read as they were written', async () => {
  const sets = parameters.chain((own) =>
    fc.record({
      own: fc.constant(own),
      counts: fc.array(
        fc.nat(2e9).chain((n) => fc.array(fc.nat(n), { minLength: own.k, maxLength: own.k }).map((bits) => [n + 1, ...bits])),
        { minLength: own.m, maxLength: own.m },
      ),
      names: fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
      styles: fc.tuple(dialect, dialect, dialect),
    }),
  );
  await fc.assert(
    fc.asyncProperty(sets, async ({ own, counts, names, styles: [first, second, third] }) => {
      const { k, h, m, p, q, f } = own;
      const params = await readParams(fileOf(written([HEADER, [k, h, m, p, q, f]], first)));
      expect(params).toMatchObject({ bits: k, hashes: h, cohorts: m });
      expect(params.inside).toBeCloseTo((f * (p + q)) / 2 + (1 - f) * q, 12);
      const cells = await readCounts(fileOf(written(counts, second)), params);
      expect([...cells.reports]).toEqual(counts.map(([own]) => own));
      expect([...cells.counts]).toEqual(counts.flatMap(([, ...bits]) => bits));
      const rows = names.map((text) => mapRow(text, own));
      const map = await readMap(fileOf(written(rows, third)), params);
      expect(map.names).toEqual(names);
      for (const [v, [, ...indexes]] of rows.entries()) {
        for (let cohort = 0; cohort < m; cohort++) {
          const at = (v * m + cohort) * h;
          const places = [...map.map.places.subarray(at, at + h)];
          const bits = indexes.slice(cohort * h, (cohort + 1) * h).map((index) => Number(index) - cohort * k - 1);
          expect(places).toEqual(bits.map((bit, i) => (bits.indexOf(bit) === i ? bit : k)));
        }
      }
    }),
    { numRuns: 40 * EFFORT, seed: 15 },
  );
});

test('records may lie across the blocks in which a file arrives, with line ends in quotes', async () => {
  const own: Parameters = { k: 32, h: 2, m: 64, p: 0.25, q: 0.75, f: 0.5 };
  const params = await readParams(fileOf(paramsText(own)));
  const rows = Array.from({ length: 6_000 }, (_, v) => mapRow(`v${v}`, own)); // 3.6 MB, in blocks of 1 MiB
  const quoted = rows.map(([text, ...rest]) => [`"${text}, ""a""\nb"`, ...rest]);
  for (const [content, names] of [
    [csvText(rows), rows.map(([text]) => text)],
    [gzipSync(csvText(rows)), rows.map(([text]) => text)],
    [csvText(quoted), rows.map(([text]) => `${text}, "a"\nb`)],
  ] as const) {
    const read = await readMap(fileOf(content), params);
    expect(read.names).toEqual(names);
    expect(read.map.places.length).toBe(6_000 * 128);
    expect(read.map.places.at(-1)).toBe((Number(rows.at(-1)?.at(-1)) - 1) % 32);
  }
  const broken = quoted.with(5_000, ['v', ...(quoted[0] as Row).slice(2)]);
  const twice = rows.with(5_999, rows[17] as Row);
  await expect(readMap(fileOf(csvText(twice)), params)).rejects.toThrow(/:6000: expected each string once, got "v17" again$/);
  const late = Buffer.concat([Buffer.from(csvText(quoted)), Buffer.from([0xe9, 0x0a])]);
  await expect(readMap(fileOf(late), params)).rejects.toThrow(/:12001: expected UTF-8, got other bytes$/);
  await expect(readMap(fileOf(csvText(broken)), params)).rejects.toThrow(/:10001: expected 129 fields, got 128$/);
});

describe('what is wrong is named in one line, with file and line', () => {
  const own: Parameters = { k: 4, h: 2, m: 2, p: 0.25, q: 0.75, f: 0.5 };
  const rows = ['a', 'b', 'c'].map((text) => mapRow(text, own));
  const params = paramsText(own);
  const counts = '10,1,2,3,4\n20,5,6,7,20\n';
  const map = csvText(rows);
  const read = async (texts: { readonly [part: string]: string | Uint8Array }) => {
    const found = await readParams(fileOf(texts['params'] ?? params));
    const cells = await readCounts(fileOf(texts['counts'] ?? counts), found);
    return { found, cells, map: await readMap(fileOf(texts['map'] ?? map), found) };
  };

  test('the files themselves are fine', async () => {
    const { found, cells, map } = await read({});
    expect(found).toMatchObject({ bits: 4, hashes: 2, cohorts: 2 });
    expect([[...cells.reports], [...cells.counts], map.names]).toEqual([
      [10, 20],
      [1, 2, 3, 4, 5, 6, 7, 20],
      ['a', 'b', 'c'],
    ]);
  });

  test.each<[what: string, texts: { readonly [part: string]: string | Uint8Array }, message: RegExp]>([
    ['empty parameters', { params: '' }, /:1: expected the header k,h,m,p,q,f, got the end of the file$/],
    ['parameters without a line', { params: 'k,h,m,p,q,f\n' }, /:2: expected a line of parameters, got the end of the file$/],
    ['another header', { params: params.replace('k,h', 'h,k') }, /:1: expected the header k,h,m,p,q,f, got h,k,m,p,q,f$/],
    ['no header', { params: '4,2,2,0.25,0.75,0.5\n' }, /:1: expected the header/],
    ['too few parameters', { params: 'k,h,m,p,q,f\n4,2,2,0.25,0.75\n' }, /:2: expected 6 fields, got 5$/],
    ['too many', { params: params.replace('0.5\n', '0.5,1\n') }, /:2: expected 6 fields, got 7$/],
    ['two lines', { params: `${params}4,2,2,0.25,0.75,0.5\n` }, /:3: expected the end of the file, got more parameters$/],
    ['no bits', { params: params.replace('4,2', '0,2') }, /:2: expected k, the bits, a whole number from 1 to 65535, in field 1, got "0"$/],
    ['half a cohort', { params: params.replace('4,2,2', '4,2,1.5') }, /:2: expected m, the cohorts, .* in field 3, got "1.5"$/],
    ['p of 2', { params: params.replace('0.25', '2') }, /:2: expected p, a probability from 0 to 1, got "2"$/],
    ['p of nothing', { params: params.replace('0.25', '') }, /:2: expected p, a probability from 0 to 1, got ""$/],
    ['p = q', { params: params.replace('0.25', '0.75') }, /:2: expected reports that tell a 1 from a 0 .* got p 0.75, q 0.75 and f 0.5$/],
    ['f = 1', { params: params.replace('0.5\n', '1\n') }, /:2: expected reports that tell a 1 from a 0/],
    ['empty counts', { counts: '' }, /:1: expected 2 lines, one for each cohort, got 0$/],
    ['a header of counts', { counts: `n,b1,b2,b3,b4\n${counts}` }, /:1: expected the reports of a cohort, .* in field 1, got "n"$/],
    ['too few cohorts', { counts: '10,1,2,3,4\n' }, /:2: expected 2 lines, one for each cohort, got 1$/],
    ['too many cohorts', { counts: `${counts}10,1,2,3,4\n` }, /:3: expected 2 lines, one for each cohort, got more$/],
    ['a count above the reports', { counts: counts.replace('7,20', '7,21') }, /:2: expected .* from 0 to 20, in field 5, got "21"$/],
    ['a negative count', { counts: counts.replace(',2,', ',-2,') }, /:1: expected .* in field 3, got "-2"$/],
    ['a fraction', { counts: counts.replace(',2,', ',2.5,') }, /:1: expected .* in field 3, got "2.5"$/],
    ['no number', { counts: counts.replace(',2,', ',NA,') }, /:1: expected .* in field 3, got "NA"$/],
    ['an empty field', { counts: counts.replace(',2,', ',,') }, /:1: expected .* in field 3, got ""$/],
    ['a count too few', { counts: counts.replace(',2,', ',') }, /:1: expected 5 fields, got 4$/],
    ['a count too many', { counts: counts.replace(',2,', ',2,2,') }, /:1: expected 5 fields, got 6$/],
    ['no reports', { counts: '0,0,0,0,0\n0,0,0,0,0\n' }, /:3: expected reports in a cohort, got none in any$/],
    ['an empty map', { map: '\n\n' }, /:3: expected a line for each candidate, got the end of the file$/],
    ['a short line', { map: `${map}d,1,2,5\n` }, /:4: expected 5 fields, got 4$/],
    ['a long line', { map: `${map}d,1,2,5,6,7\n` }, /:4: expected 5 fields, got 6$/],
    ['an index of another cohort', { map: `${map}d,1,2,4,6\n` }, /:4: expected an index of its cohort, from 5 to 8, in field 4, got 4$/],
    ['an index from 0', { map: `${map}d,0,2,5,6\n` }, /:4: expected an index of its cohort, from 1 to 4, in field 2, got 0$/],
    ['a string twice', { map: `${map}b,1,2,5,6\n` }, /:4: expected each string once, got "b" again$/],
    ['an open quote', { map: `${map}"d,1,2,5,6\n` }, /:4: expected a quote that ends the field, got the end of the file$/],
    [
      'text behind quotes',
      { map: `${map}"d"e,1,2,5,6\n` },
      /:4: expected a comma or the end of the line behind the quotes of field 1, got "e"$/,
    ],
    ['other letters', { map: Buffer.from(`${map}d\xe9,1,2,5,6\n`, 'latin1') }, /:4: expected UTF-8, got other bytes$/],
    ['half a gzip file', { map: gzipSync(map.repeat(9)).subarray(0, 40) }, /: unexpected end of file$/],
  ])('%s', async (_what, texts, message) => {
    await expect(read(texts)).rejects.toThrow(message);
    await expect(read(texts)).rejects.not.toThrow('\n');
  });

  test('a file that is not there, or a folder', async () => {
    await expect(readParams(join(folder, 'none.csv'))).rejects.toThrow(/none\.csv: expected a file, got none$/);
    await expect(readParams(folder)).rejects.toThrow(/: expected a file, got a folder$/);
  });

  test('wherever one field of the numbers is spoilt, its line is named', async () => {
    const spoilt = fc.constantFrom('-1', '1.5', '', 'x', '1e400', '99', 'NaN', '0x1', '1 2', '9'.repeat(400));
    const place = fc.tuple(fc.constantFrom('counts', 'map'), fc.nat(2), fc.nat(4), spoilt);
    await fc.assert(
      fc.asyncProperty(place, async ([part, line, field, text]) => {
        const lines = (part === 'counts' ? counts : map)
          .trimEnd()
          .split('\n')
          .map((each) => each.split(','));
        const row = lines[line % lines.length] as string[];
        const at = part === 'map' ? Math.max(1, field) : field;
        row[at] = text;
        if (part === 'counts' && at === 0 && text === '99') return; // more reports than there were are fine
        const spoiltText = lines.map((each) => each.join()).join('\n');
        await expect(read({ [part]: spoiltText })).rejects.toThrow(new RegExp(`:${(line % lines.length) + 1}: expected .*, got`));
      }),
      { numRuns: 40 * EFFORT, seed: 15 },
    );
  });
});

test('bits that a client sends inverted are turned round', async () => {
  const own: Parameters = { k: 2, h: 1, m: 1, p: 0.75, q: 0.25, f: 0 };
  const params = await readParams(fileOf(paramsText(own)));
  const cells = await readCounts(fileOf('10,1,8\n'), params);
  expect(cells).toMatchObject({ inside: 0.75, outside: 0.25, counts: Float64Array.of(9, 2) });
});
