/** Every build of the honest app, and every cheat. */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenIssuer } from '@murmuration/collector/tokens';
import type { SchemaDocument } from '@murmuration/shared';
import express from 'express';
import { describe, expect, test } from 'vitest';
import { KEY, SECRET } from '../kit/tokens.ts';
import { builders, PLAN, relayed, WORKERS } from './apps.ts';
import { audited, auditedIn, failed, plainly } from './audited.ts';
import { cheats, relayedCheats } from './cheats.ts';

/** Nothing on the tests' server answers for a collector, and months are not compared where reports go through a relay. */
const GAPS = ['key of the collector', 'published schema', 'log of schemas', 'other requests over 60 days'];

test.each(Object.keys(builders))('an honest app fails no check when it is built by %s', async (builder) => {
  const { rows, schema } = await audited(builder);
  expect(rows.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(schema?.name).toMatch(/^audited\/3\//);
});

describe('with its telemetry in a', () => {
  test.each(Object.keys(WORKERS))('%s, an honest app fails no check, and tests each', async (kind) => {
    const result = await auditedIn(kind);
    expect(failed(result)).toEqual([]);
    expect(result.rows.filter(({ verdict }) => verdict === 'not tested').map(({ check }) => check)).toEqual([
      'published schema',
      'log of schemas',
    ]);
    expect(plainly(result, 'thresholds of plan')).toContain('as in the certificate');
  });

  test.each(Object.keys(WORKERS))('%s, a cheat is found by its coins or by its batch id', async (kind) => {
    expect(failed(await auditedIn(kind, cheats['biased coins']))).toContain('thresholds of plan');
    // Where two visits of one of the two browsers differ by chance, the other's twins tell.
    expect(failed(await auditedIn(kind, cheats['batch id']))).toContainEqual(expect.stringMatching(/^(batch ids|twins)/));
  });
});

describe('a cheat is found', () => {
  test.each(Object.entries(cheats))('%s', async (_, parts) => {
    expect(failed(await audited('esbuild', parts))).not.toEqual([]);
  });
});

test('a cookie that tells an answer is found where the plan names what the page needs, and the cookie is not in it', async () => {
  const parts = { answer: `document.cookie = 'view=' + metric + value; telemetry.record(metric, value);` };
  expect(failed(await audited('esbuild', parts, { plan: { ...PLAN, own: ['theme'] } }))).toContain('other requests');
});

describe('with its reports through a relay,', () => {
  test.each(['esbuild', 'terser, mangled', 'vite'])('an honest app fails no check when it is built by %s', async (builder) => {
    const result = await audited(builder, relayed);
    expect(failed(result)).toEqual([]);
    expect(result.rows.filter(({ verdict }) => verdict === 'not tested').map(({ check }) => check)).toEqual(GAPS);
  });

  test.each(Object.keys(WORKERS))('an honest app fails no check with its telemetry in a %s', async (kind) => {
    const result = await auditedIn(kind, relayed);
    expect(failed(result)).toEqual([]);
    expect(result.rows.filter(({ verdict }) => verdict === 'not tested').map(({ check }) => check)).toEqual(GAPS);
  });

  test('an honest app with tokens fails no check, and its tokens are seen', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-tokens-'));
    const metrics = { dark: { every: 'week' }, plan: { every: 'month' }, size: { every: 'week' } };
    const schemas = [{ app: 'audited', metrics } as unknown as SchemaDocument];
    const { handler, close } = tokenIssuer({ secret: SECRET, schemas, data: folder, accountOf: () => randomUUID() });
    const tokens = `tokens: slotTokens({ schema, issuer: '/tokens', key: '${KEY}' }) }),`;
    const parts = {
      ...relayed,
      before: `${relayed.before} import { slotTokens } from '@murmuration/client/tokens';`,
      options: relayed.options.replace('}),', `, ${tokens}`),
    };
    const result = await audited('esbuild', parts, { post: express().post('/tokens', handler) });
    close();
    await rm(folder, { recursive: true });
    expect(failed(result)).toEqual([]);
    expect(plainly(result, 'messages')).toMatch(/have a token/);
  });

  test.each(relayedCheats)('a cheat is found: %s, by the check of %s', async (_, check, parts) => {
    expect(failed(await audited('esbuild', parts))).toContain(check);
  });
});
