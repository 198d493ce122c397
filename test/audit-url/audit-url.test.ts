/** `murmuration audit --url` on an honest app and on cheats that one visit shows; the rest is in the deep tier. */

import { beforeAll, describe, expect, test } from 'vitest';
import { type Audited, audited, plainly } from './audited.ts';

describe('an honest app', () => {
  let honest: Audited;
  beforeAll(async () => {
    honest = await audited('esbuild, plugin');
  });

  test('fails no check, and tests each', () => {
    const { rows } = honest;
    expect(rows.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(rows.filter(({ verdict }) => verdict === 'not tested').map(({ check }) => check)).toEqual([
      'published schema',
      'log of schemas',
    ]);
  });

  test('is known by its schema, with the ratios of the certificate', () => {
    expect(honest.schema?.name).toMatch(/^audited\/3\/[0-9a-f]{16}$/);
    expect(plainly(honest, 'thresholds of plan')).toContain('as in the certificate');
    expect(Object.keys(honest.hashes)).toHaveLength(1);
  });

  test('is not audited by a plan for another one', async () => {
    await expect(audited('esbuild', {}, { plan: { acts: { colour: { red: '#red' } } } })).rejects.toThrow(
      '--plan: acts.colour: expected a metric that the page asks (dark, plan, size), got another',
    );
  });

  test('has its gaps told', () => {
    expect(honest.untested.join('\n')).toContain('recognizes the audit');
  });
});
