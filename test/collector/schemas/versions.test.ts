/** `murmuration schema` of `otherwise` and `assign`: the table of charges, and what may follow what. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema, flag, permanent, text } from '@murmuration/client';
import { canonicalSchema, type Questions, type SchemaDocument } from '@murmuration/shared';
import { afterAll, describe, expect, test } from 'vitest';
import { type Ran, runCommand } from '../../setup/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-versions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]): Ran => runCommand('schema', ...args);

let files = 0;
function define(version: number, metrics: Questions, changes: object = {}): string {
  const file = join(folder, `schema-${++files}.json`);
  const { document } = defineSchema({ app: 'notes', version, budget: { epsilon: 10, per: 'month' }, metrics, ...changes });
  writeFileSync(file, canonicalSchema(document));
  return file;
}

describe('murmuration schema', () => {
  const weekly = { epsilon: 1, description: 'a question', every: 'week' } as const;
  const plain = define(1, { plan: choice(['a', 'b'], weekly), dark: flag(weekly) });
  const stands = (version: number, otherwise: 'a' | 'b'): string =>
    define(version, { plan: choice(['a', 'b'], { ...weekly, otherwise }), dark: flag(weekly) });
  const against = (
    after: string,
    before: string,
  ): readonly [number | null, readonly { readonly what: string; readonly allowed: boolean }[]] => {
    const { status, stdout } = run('--schema', after, '--against', before, '--json');
    return [status, JSON.parse(stdout).changes];
  };

  test('the table of charges shows it', () => {
    expect(run('--schema', stands(2, 'b')).stdout).toMatch(/^plan +k-ary +1 +week +b +1\.000000 +5 +5 \/ month$/m);
    expect(run('--schema', plain).stdout).not.toContain('otherwise');
    const assigned = define(2, { plan: choice(['a', 'b'], weekly), dark: flag(weekly), more: flag(weekly) }, { assign: 'random' });
    expect(run('--schema', assigned).stdout).toContain(
      'charges      15 in all, budget 10 per month; assign random: each device answers metrics that fit the budget together',
    );
  });

  test.each([
    [plain, stands(2, 'b'), 'nothing before and "b" now'],
    [stands(1, 'b'), stands(2, 'a'), '"b" before and "a" now'],
    [stands(1, 'b'), define(2, { plan: choice(['a', 'b'], weekly), dark: flag(weekly) }), '"b" before and nothing now'],
  ])('a change of otherwise is allowed in a new version, whose reports are not added to the old: %#', (before, after, words) => {
    const what = `plan: otherwise changed: ${words} is reported where nothing was recorded; a share means something else, so reports of the two versions are not added up`;
    expect(against(after, before)).toEqual([0, [{ what, allowed: true }]]);
  });

  test('a change of otherwise needs a new version, and so does one of assign, of reports or of devices', () => {
    for (const after of [
      stands(1, 'b'),
      define(1, { plan: choice(['a', 'b'], weekly), dark: flag(weekly) }, { assign: 'random', reports: 'together' }),
      define(1, { plan: choice(['a', 'b'], weekly), dark: flag(weekly) }, { reports: 'alone' }),
      define(1, { plan: choice(['a', 'b'], weekly), dark: flag(weekly) }, { devices: 5 }),
    ]) {
      const [status, changes] = against(after, plain);
      expect([status, changes.length, changes[1]?.what]).toEqual([1, 2, expect.stringContaining('version: expected more than 1')]);
    }
  });

  test('assign may come and go in a new version, whose reports are added up', () => {
    const random = define(2, { plan: choice(['a', 'b'], weekly), dark: flag(weekly) }, { assign: 'random' });
    const all = define(3, { plan: choice(['a', 'b'], weekly), dark: flag(weekly) });
    expect(against(random, plain)).toEqual([
      0,
      [
        {
          what: expect.stringMatching(/^assign: changed; each device answers a random part of the metrics, .* are added up/),
          allowed: true,
        },
        { what: 'reports: sent together before and alone now', allowed: true },
      ],
    ]);
    expect(against(all, random)).toEqual([
      0,
      [
        { what: expect.stringMatching(/^assign: changed; each device answers all metrics, .* are added up/), allowed: true },
        { what: 'reports: sent alone before and together now', allowed: true },
      ],
    ]);
  });

  test('a relay that is required or no longer is named, and so is another crowd', () => {
    const alone = { reports: 'alone' } as const;
    const relayed = (version: number, together: number): string =>
      define(version, { dark: flag(weekly) }, { ...alone, relay: 'required', together });
    const plain = define(1, { dark: flag(weekly) }, alone);
    expect(against(relayed(2, 1000), plain)).toEqual([
      0,
      [
        { what: 'relay: required; reports that no relay brings are refused', allowed: true },
        { what: 'together: changed', allowed: true },
      ],
    ]);
    expect(against(define(3, { dark: flag(weekly) }, alone), relayed(2, 1000))[1][0]).toEqual({
      what: 'relay: no longer required; who receives reports sees addresses again',
      allowed: true,
    });
    expect(against(relayed(3, 2000), relayed(2, 1000))[1]).toEqual([{ what: 'together: changed', allowed: true }]);
  });
});

describe('what devices would spend again', () => {
  const ask = { epsilon: 1, description: 'a question', every: 'week' } as const;
  const forYear = { epsilon: 2, renew: 'year' } as const;
  const shipped: Questions = {
    home: permanent(text(ask), forYear),
    plan: permanent(choice(['a', 'b'], ask), forYear),
    once: flag({ ...ask, every: 'once' }),
  };
  const before = define(1, shipped);
  const named = (
    after: string,
    from: string | readonly string[] = before,
  ): readonly { readonly metric?: string; readonly epsilon: number; readonly what: string }[] => {
    const { status, stdout } = run('--schema', after, '--against', ...[from].flat(), '--json');
    const { changes, allowed } = JSON.parse(stdout) as {
      readonly allowed: boolean;
      readonly changes: readonly { readonly what: string; readonly allowed: boolean; readonly spends?: { readonly epsilon: number } }[];
    };
    const found = changes.flatMap(({ what, spends }) => (spends ? [{ ...spends, what }] : []));
    expect({ status, allowed }).toEqual(found.length > 0 ? { status: 1, allowed: false } : { status: 0, allowed: true });
    return found;
  };

  test.each([
    [
      'appended answers',
      { ...shipped, plan: permanent(choice(['a', 'b', 'c'], ask), forYear) },
      'plan',
      2,
      'answers a list of 2 -> a list of 3',
    ],
    ['ε of a report', { ...shipped, plan: permanent(choice(['a', 'b'], { ...ask, epsilon: 0.5 }), forYear) }, 'plan', 2, 'law.irr.truth '],
    [
      'a larger ε∞',
      { ...shipped, plan: permanent(choice(['a', 'b'], ask), { ...forYear, epsilon: 3 }) },
      'plan',
      3,
      'permanent.epsilon 2 -> 3',
    ],
    [
      'a shorter renewal',
      { ...shipped, plan: permanent(choice(['a', 'b'], ask), { ...forYear, renew: 'month' }) },
      'plan',
      2,
      'renew year -> month',
    ],
    ['no permanence', { ...shipped, plan: choice(['a', 'b'], ask) }, 'plan', 1, 'permanent before and not now'],
    ['what was asked once', { ...shipped, once: flag({ ...ask, every: 'year' }) }, 'once', 1, 'asked once before and every year now'],
  ] as const)('is named, and exits 1: %s', (_, metrics, metric, epsilon, words) => {
    expect(named(define(2, metrics, { budget: { epsilon: 10, per: 'month' } }))).toEqual([
      { metric, epsilon, what: expect.stringContaining(words) },
    ]);
  });

  test("is ε∞ of each text where the schema's devices change its law, and nothing where they do not", () => {
    expect(named(define(2, shipped, { devices: 1_000 }))).toEqual([
      {
        metric: 'home',
        epsilon: 2,
        what: expect.stringMatching(
          /^home: devices of a shipped permanent metric is frozen \(100000 -> 1000 changes its law\); a new epoch begins on every device, and ε∞ 2 is spent again: law\.cohorts \d+ -> \d+$/,
        ),
      },
    ]);
    expect(named(define(2, shipped, { devices: 100_001 }))).toEqual([]);
  });

  test('is what a budget rises by, in the window that was promised', () => {
    const budget = (epsilon: number, per: string): string => define(2, shipped, { budget: { epsilon, per } });
    expect(named(budget(11, 'month'))).toEqual([
      { epsilon: 11, what: expect.stringContaining('budget: rises from 10 per month to 11 per month') },
    ]);
    expect(named(budget(10, 'week'))).toEqual([
      { epsilon: 50, what: expect.stringContaining('a month may hold ε 50 where 10 was promised') },
    ]);
    expect(named(budget(9, 'month'))).toEqual([]);
  });

  test.each([
    ['a longer renewal', { ...shipped, plan: permanent(choice(['a', 'b'], ask), { ...forYear, renew: 'never' }) }],
    ['a smaller cadence', { ...shipped, plan: permanent(choice(['a', 'b'], { ...ask, every: 'month' }), forYear) }],
    ['a metric more', { ...shipped, constructor: flag(ask) }],
  ] as const)('is nothing of %s', (_, metrics) => {
    expect(named(define(2, metrics))).toEqual([]);
  });

  test('is named where a version in between did not ask the metric: devices keep what they have spent on it', () => {
    const home = permanent(text(ask), forYear);
    const without = define(2, { home });
    const again = { home, plan: permanent(choice(['a', 'b', 'c'], ask), forYear), once: flag({ ...ask, every: 'year' }) };
    expect(named(without)).toEqual([]);
    expect(named(define(3, again), [before, without])).toEqual([
      { metric: 'once', epsilon: 1, what: expect.stringContaining('asked once before and every year now') },
      { metric: 'plan', epsilon: 2, what: expect.stringContaining('a new epoch begins on every device') },
    ]);
    expect(named(define(3, { ...shipped, more: flag(ask) }), [without, before])).toEqual([]);
  });

  test('is nothing where only the order of keys differs', () => {
    const turned = (value: unknown): unknown =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, inner]) => [key, turned(inner)]),
          )
        : value;
    const file = join(folder, 'turned.json');
    writeFileSync(file, JSON.stringify(turned(JSON.parse(readFileSync(before, 'utf8')) as SchemaDocument)));
    expect(readFileSync(file, 'utf8')).not.toBe(readFileSync(before, 'utf8'));
    expect(named(file)).toEqual([]);
  });

  test('is accepted with --accept, which still says it', () => {
    const after = define(2, { ...shipped, plan: permanent(choice(['a', 'b', 'c'], ask), forYear) });
    const { status, stdout } = run('--schema', after, '--against', before);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^SPENDS {3}plan: a new epoch begins on every device, and ε∞ 2 is spent again: /m);
    expect(stdout).toMatch(/^devices would spend ε again: undo it, or say --accept$/m);
    const accepted = run('--schema', after, '--against', before, '--accept');
    expect(accepted.status).toBe(0);
    expect(accepted.stdout).toMatch(/^accepted plan: a new epoch begins on every device, and ε∞ 2 is spent again: /m);
    expect(JSON.parse(run('--schema', after, '--against', before, '--accept', '--json').stdout)).toMatchObject({
      accepted: true,
      allowed: true,
    });
    expect(run('--schema', define(1, { ...shipped, more: flag(ask) }), '--against', before, '--accept').status).toBe(1);
  });
});
