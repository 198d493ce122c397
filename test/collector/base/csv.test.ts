/** Fields of CSV: text of strangers is never a formula, numbers stay numbers, and what is asked for raw is as it was. */

import { describe, expect, test } from 'vitest';
import { field, rawField } from '#collector/base/csv.ts';
import { distributionLines } from '#collector/cli/rappor-files/results.ts';
import { answerCsv } from '#collector/release/answer.ts';
import { syntheticCsv } from '#collector/release/mechanisms/queries.ts';

const FORMULAS = ['=HYPERLINK("https://evil.example","x")', '+1+1', '-2+cmd', '@SUM(A1)', '\t=1', '\r=1', '=1,2', '-', '-1-1', '+4a'];

describe('text that a spreadsheet would run', () => {
  test.each(FORMULAS)('%j gets an apostrophe and quotes', (text) => {
    expect(field(text)).toBe(`"'${text.replaceAll('"', '""')}"`);
    expect(rawField(text)).toBe(/[",\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  });

  test('is none in any CSV: of a decode, of a release, of a synthetic table', () => {
    const [name = ''] = FORMULAS;
    const decoded = { distribution: Float64Array.of(1) };
    expect([...distributionLines([name], decoded as never, field)][1]).toMatch(/^"'=HYPERLINK/);
    expect(syntheticCsv([{ name: 'a', values: [name] }], [1])).toMatch(/\r\n"'=HYPERLINK/);
    const measure = { kind: 'count', epsilon: '1' } as const;
    const cells = [{ values: { version: name }, value: -3 }];
    const answer = { question: { measures: [measure] }, results: [{ measure, cells }] } as never;
    expect(answerCsv(answer)).toMatch(/\r\n"'=HYPERLINK.*,-3\r\n$/);
    expect(answerCsv(answer, rawField)).toMatch(/\r\n"=HYPERLINK.*,-3\r\n$/);
  });
});

test.each([-5, -0.25, 1e-7, -1.5e-9, 0, Number.NaN])('the number %d stays a number', (value) => {
  expect(field(value)).toBe(String(value));
  expect(field(String(value))).toBe(String(value));
});

test('other text is as it was, in quotes where it must be', () => {
  for (const text of ['a=b', 'name@example.com', '2 - 1', ' =1', 'a"b', 'a,b', 'a\nb', '']) expect(field(text)).toBe(rawField(text));
  expect([field(undefined), field(null)]).toEqual(['', '']);
});
