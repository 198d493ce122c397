/** The report of `murmuration audit --url` as a document: what the page says is text in it, and never a mark or a tag. */

import { expect, test } from 'vitest';
import type { Deployed } from '#collector/planning/audit/deployed/deployed.ts';
import { deployedHtml, deployedMarkdown } from '#collector/planning/audit/deployed/report.ts';
import { schema } from '../kit/app.ts';

const hostile = '</td><script>alert(1)</script> | x\n# `**[a](javascript:b)**` &amp;';

const result: Deployed = {
  verdict: 'failed',
  url: `https://app.example/?${hostile}`,
  rows: [
    { check: 'before consent', verdict: 'failed', evidence: hostile },
    { check: 'canary', verdict: 'not tested', evidence: 'none was given' },
  ],
  schema: { name: 'notes/1/0123456789abcdef', fingerprint: 'a'.repeat(64), document: { ...schema.document, app: '````' } },
  hashes: { [`https://app.example/${hostile}`]: 'b'.repeat(64) },
  untested: [hostile],
};

test('HTML loads nothing, runs nothing, and shows every row', () => {
  const html = deployedHtml(result);
  expect(html).toContain("default-src 'none'");
  expect(html).toContain('<tr class="failed"><td>before consent</td><td>failed</td><td>&lt;/td&gt;&lt;script&gt;');
  expect(html).toContain('<tr class="not-tested"><td>canary</td><td>not tested</td>');
  expect(new Set(html.match(/<\w+/g))).toEqual(
    new Set('html head meta title style body h1 h2 p strong table thead tbody tr th td ul li pre'.split(' ').map((tag) => `<${tag}`)),
  );
});

test('Markdown has a line for each row, and no mark of the page', () => {
  const lines = deployedMarkdown(result).split('\n');
  expect(lines.filter((line) => line.startsWith('#'))).toEqual([
    '# Audit of a deployed app',
    '## Checks',
    '## Not tested',
    '## Scripts',
    '## Schema',
  ]);
  const row = lines.find((line) => line.startsWith('| before consent'));
  expect(row?.replace(/\\./g, '').match(/\|/g)).toHaveLength(4);
  expect(row?.replace(/\\./g, '')).not.toMatch(/[<>`*[\]&]/);
  expect(lines.filter((line) => line.startsWith('`````'))).toEqual(['`````json', '`````']);
});
