/** The audit: the exact ε of what ships, the certificate that another program has verified, and claims that are broken. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ratio, type SchemaDocument } from '@murmuration/shared';
import { afterAll, describe, expect, test } from 'vitest';
import type { Certificate } from '../../collector/src/audit/certificate.ts';
import { spendingOf } from '../../collector/src/audit/spending.ts';
import { factor, statementOf } from '../../collector/src/audit/statement.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const bin = path('../../collector/bin/murmuration.js');
const folder = mkdtempSync(join(tmpdir(), 'murmuration-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Verified with test/vectors/verify_certificate.py. */
const golden = JSON.parse(readFileSync(path('../vectors/certificate.json'), 'utf8')) as Certificate;
const { document } = golden;

let files = 0;
function audit(schema: object, ...args: string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const file = join(folder, `schema-${++files}.json`);
  writeFileSync(file, JSON.stringify(schema));
  return spawnSync(process.execPath, [bin, 'audit', '--schema', file, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
}

const change = (metric: string, fields: object): SchemaDocument =>
  ({ ...document, metrics: { ...document.metrics, [metric]: { ...document.metrics[metric], ...fields } } }) as SchemaDocument;

describe('murmuration audit --certificate', () => {
  test('is the one that was verified, to the integer', () => {
    const { status, stdout } = audit(document, '--certificate');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual(golden);
  });

  test.each(['numbers', 'sets', 'hashing', 'designs'])('of questions about %s is the one that was verified, to the integer', (name) => {
    const verified = JSON.parse(readFileSync(path(`../vectors/certificate-${name}.json`), 'utf8')) as Certificate;
    expect(JSON.parse(audit(verified.document, '--certificate').stdout)).toEqual(verified);
  });

  test('has every kind of law, composed and not', () => {
    const kinds = Object.values(golden.metrics).map(({ law, epoch }) => `${law.mechanism}${epoch ? ', permanent' : ''}`);
    expect([...new Set(kinds)].sort()).toEqual(['k-ary', 'k-ary, permanent', 'rappor', 'rappor, permanent', 'subset']);
  });

  test('changes with every threshold', () => {
    for (const [metric, { law, report }] of Object.entries(golden.metrics)) {
      const threshold = law.mechanism === 'k-ary' ? 'truth' : law.mechanism === 'subset' ? 'include' : 'one';
      const less = { ...law, [threshold]: ((law as unknown as { readonly [key: string]: number })[threshold] as number) - 1 };
      const spending = spendingOf(change(metric, { law: less })).metrics.find((each) => each.metric === metric);
      expect(`${spending?.report.odds.numerator}/${spending?.report.odds.denominator}`).not.toBe(
        `${report.numerator}/${report.denominator}`,
      );
    }
  });
});

describe('a claim', () => {
  test('holds when no report, epoch and window spends more', () => {
    const { status, stdout } = audit(document, '--json');
    const result = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(result).toMatchObject({ schema: golden.schema, fingerprint: golden.fingerprint, holds: true, segmentCombinations: 6 });
    expect(result.window).toEqual(golden.window);
    for (const { metric, claimed, epsilon, times } of result.metrics) {
      expect(epsilon.report).toBe(golden.metrics[metric]?.report.epsilon);
      expect(Number(epsilon.report)).toBeLessThanOrEqual(claimed.report);
      expect(epsilon.epoch).toBe(golden.metrics[metric]?.epoch?.epsilon);
      expect(Number(epsilon.window)).toBeCloseTo(times * Number(epsilon.epoch ?? epsilon.report), 10);
    }
  });

  test.each([
    ['a report', change('dark', { epsilon: 0.09 })],
    ['an epoch', change('font', { permanent: { epsilon: 2.4, renew: 'month' } })],
    ['the window', { ...document, budget: { epsilon: 19.3, per: 'month' } }],
    ['the window of a daily question', change('country', { every: 'day' })],
    ['a report, by a threshold', change('plan', { law: { mechanism: 'k-ary', size: 4, truth: 2 ** 32 - 1 } })],
  ])('is broken where %s spends more, with exit code 1', (_, broken) => {
    const { status, stdout, stderr } = audit(broken, '--json');
    expect([status, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout).holds).toBe(false);
    expect(audit(broken).stdout).toContain('A CLAIM IS EXCEEDED');
    const certificate = audit(broken, '--certificate');
    expect([certificate.status, JSON.parse(certificate.stdout).holds]).toEqual([1, false]);
  });

  test('of other commands is still checked before anything else is done', () => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, JSON.stringify(change('dark', { epsilon: 0.09 })));
    const { status, stderr } = spawnSync(process.execPath, [bin, 'schema', '--schema', file], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain('expected an epsilon of at most 0.09');
  });
});

describe('what people read', () => {
  test('warns of what ε does not cover', () => {
    const { stdout } = audit(document);
    expect(stdout).toMatch(/^warning: participation visible: that a device answers dark, /m);
    expect(stdout).toContain('segments are sent in clear: platform, release-channel put each device into one of 6 groups');
    const { segments: _segments, ...plain } = document;
    const { warnings, segmentCombinations } = JSON.parse(audit(plain, '--json').stdout);
    expect(warnings.map(({ kind }: { kind: string }) => kind)).toEqual(['participation-visible', 'storage']);
    expect(segmentCombinations).toBe(1);
  });

  test('the statement says of each question what is asked, how often, by whom, until when, and what it gives away', () => {
    const statement = statementOf(document, spendingOf(document));
    expect(statement).toContain(
      [
        '- Is dark mode on? (dark)',
        '  Asked at most once in 7 days. Answers: yes or no.',
        '  One report changes the odds of any answer against any other by a factor of 1.2 at most (ε 0.100).',
        '  Asked by: design. Needed until 2027-01-31.',
      ].join('\n'),
    );
    expect(statement).toContain('Asked once. Answers: free, pro, team, für Schulen.');
    expect(statement).toContain('Answers: one of a list of 41.');
    expect(statement).toContain('Answers: theme (one of 2) together with sync (one of 2).');
    expect(statement).toContain('All reports in one month together: 12.2 at most (ε 2.500).');
    expect(statement).toContain('All reports ever together: 54.6 at most (ε 4.000).');
    expect(statement).toContain('Nobody is named as its owner. No day is set on which it ends.');
    expect(statement).toContain('(ε 19.388, of a budget of 20.5)');
    expect(statement).toContain('and platform (web, ios), release-channel (stable, beta, nightly).');
  });

  test('a factor is never rounded down', () => {
    expect(factor(ratio(271_829n, 100_000n))).toBe('2.8');
    expect(factor(ratio(3n, 1n))).toBe('3.0');
    expect(factor(ratio(999n, 10n))).toBe('99.9');
    expect(factor(ratio(99_901n, 1_000n))).toBe('100');
    expect(factor(ratio(12_345_678n, 10n))).toBe('1,234,568');
    expect(factor(ratio(2n * 10n ** 20n, 1n))).toBe('10^21');
  });
});

test.each([
  [{ ...document, format: 2 }, 'format'],
  [change('font', { permanent: undefined }), 'irr exactly when the metric is permanent'],
  [change('dark', { law: { mechanism: 'k-ary', size: 3, truth: 2 ** 31 } }), 'a law over 2'],
])('what is no schema is bad input', (schema, message) => {
  const { status, stdout, stderr } = audit(schema);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});
