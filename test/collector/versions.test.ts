/** `murmuration schema` of `otherwise` and `assign`: the table of charges, and what may follow what. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choice, defineSchema, flag } from '@murmuration/client';
import { canonicalSchema, type Questions } from '@murmuration/shared';
import { afterAll, describe, expect, test } from 'vitest';

const bin = fileURLToPath(new URL('../../collector/bin/murmuration.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'murmuration-versions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]): { status: number | null; stdout: string } =>
  spawnSync(process.execPath, [bin, 'schema', ...args], { encoding: 'utf8', env: { ...process.env, NODE_NO_WARNINGS: '1' } });

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
    expect(run('--schema', stands(2, 'b')).stdout).toMatch(/^plan +k-ary +week +b +1\.000000 +5 +5 \/ month$/m);
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

  test('a change of otherwise needs a new version, and so does one of assign or of devices', () => {
    for (const after of [
      stands(1, 'b'),
      define(1, { plan: choice(['a', 'b'], weekly), dark: flag(weekly) }, { assign: 'random' }),
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
      ],
    ]);
    expect(against(all, random)).toEqual([
      0,
      [{ what: expect.stringMatching(/^assign: changed; each device answers all metrics, .* are added up/), allowed: true }],
    ]);
  });
});
