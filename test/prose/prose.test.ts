/** The check of prose finds what it is for: each rule's sentence to avoid, and nothing in the one to write. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { paragraphsOf } from './paragraphs.ts';
import { complaintsAbout, complaintsAboutCode } from './prose.ts';

test.each([
  ['Of a list each answer has two more shares.', 'Each answer of a list also gets two other estimates.'],
  ['Of the requests, three were refused.', 'Three of the requests were refused.'],
  ['It is late. Who does not come back is then never counted.', 'Devices that never come back are not counted. Who is trusted?'],
  ['We refuse what is no HTTP/1.1.', 'We refuse requests that are not HTTP/1.1.'],
  ['Start the collector anew.', 'Restart the collector.'],
  ['The report is put by.', 'The report is queued.'],
  ['It sends what waits by itself.', 'It sends what waits on its own.'],
  ['The default stands in for the answer.', 'The default replaces the answer.'],
  ['A report tells by being there that it happened.', 'A report reveals by its presence that it happened.'],
  ['Wait for it, for it is slow.', 'Wait for it, because it is slow.'],
  ['You shall see.', 'You will see.'],
  ['Whoever may write the folder can make a token.', 'Anyone with write access to the folder can make a token.'],
])('%s', (wrong, right) => {
  expect(complaintsAbout(wrong)).toEqual([expect.stringContaining('instead of')]);
  expect(complaintsAbout(right)).toEqual([]);
});

test('a paragraph has at most six lines, and so has an entry of a list; tables and code are none', () => {
  const lines = (count: number, line: string): string => Array.from({ length: count }, () => line).join('\n');
  expect(complaintsAbout(lines(6, 'a line'))).toEqual([]);
  expect(complaintsAbout(`# Title\n\n${lines(7, 'a line')}`)).toEqual(['3: expected at most 6 lines a paragraph, got 7']);
  expect(complaintsAbout(lines(9, '- an entry\n  of two lines'))).toEqual([]);
  expect(complaintsAbout(lines(9, '| a | row |'))).toEqual([]);
  expect(complaintsAbout(`\`\`\`text\n${lines(9, 'It starts anew')}\n\`\`\``)).toEqual([]);
});

test('a sentence has at most 45 words', () => {
  const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
  expect(complaintsAbout(`${words(45)}. ${words(45)}.`)).toEqual([]);
  expect(complaintsAbout(`${words(20)}. ${words(46)}.`)).toEqual([
    expect.stringContaining('1: expected at most 45 words a sentence, got 46'),
  ]);
});

test('code and the targets of links are no prose', () => {
  expect(complaintsAbout('Call `anew()`, see [it](anew.md).')).toEqual([]);
  expect(paragraphsOf('One\n**two**.\n- Three [four](five)')).toEqual([
    { line: 1, lines: 2, text: 'One two.' },
    { line: 3, lines: 1, text: 'Three four' },
  ]);
});

test.each([
  ['a docstring', '/** Starts\n * anew. */\nexport const a = 1;\n', 1],
  ['a comment over two lines', 'f();\n// It starts by\n// itself.\ng();\n', 2],
  ['a comment after code', 'const a = 1; // it stands in for b\n', 1],
])('%s is read', (_, code, line) => {
  expect(complaintsAboutCode(code, false)).toEqual([expect.stringContaining(`${line}: instead of`)]);
});

test('a message is read where people see it: not in tests, and not in names of fewer than four words', () => {
  const message = "throw new RangeError('the file has to be read anew');\n";
  expect(complaintsAboutCode(message, true)).toHaveLength(1);
  expect(complaintsAboutCode(message, false)).toEqual([]);
  expect(complaintsAboutCode("const key = 'anew';\n", true)).toEqual([]);
  expect(complaintsAboutCode('const page = <p>The page is read anew today.</p>;\n', true)).toHaveLength(1);
});

test('comments within texts, and quotation marks within comments and patterns, mislead nobody', () => {
  expect(complaintsAboutCode("const a = 'https://a.example/anew';\n", false)).toEqual([]);
  expect(complaintsAboutCode("// the device's own\nconst a = /[\"']/; // starts anew\n", false)).toHaveLength(1);
  expect(complaintsAboutCode('/** Calls `anew()`. */\n', false)).toEqual([]);
});

test.each(['What a report says', 'Whether it is done', 'Whom it tells', 'Whose turn it is'])(
  'a docstring of a package does not open with "%s"',
  (opening) => {
    expect(complaintsAboutCode(`/** ${opening}. */\n`, true)).toEqual([expect.stringContaining('1: instead of')]);
    expect(complaintsAboutCode(`/**\n * ${opening}.\n */\n`, true)).toHaveLength(1);
    expect(complaintsAboutCode(`/** ${opening}. */\n// ${opening}.\n`, false)).toEqual([]);
  },
);

test("the collector's README is a page to start with: at most 1,500 words", () => {
  const readme = readFileSync(new URL('../../collector/README.md', import.meta.url), 'utf8');
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_500);
});
