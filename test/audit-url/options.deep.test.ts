/** The options of `murmuration audit --url`: storage to begin with, for a page behind a login, and engines in which browsers are killed. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditDeployed, type Deployed } from '#collector/planning/audit/deployed/deployed.ts';
import { killAndBack } from '#collector/planning/audit/deployed/kill-and-back.ts';
import { builders, type Parts, PLAN, script, serveFiles } from './apps.ts';
import { plainly } from './audited.ts';
import { cheats } from './cheats.ts';

async function serving<T>(parts: Parts, work: (url: string) => Promise<T>): Promise<T> {
  const { url, close } = await serveFiles((await builders['esbuild']?.(script(parts))) ?? {});
  try {
    return await work(url);
  } finally {
    await close();
  }
}

describe('a page behind a login', () => {
  const signedIn = `if (localStorage.getItem('login') !== 'yes' || !document.cookie.includes('session=1')) throw new Error('sign in');`;
  const audit = (storage: boolean): Promise<Deployed> =>
    serving({ before: signedIn }, async (url) => {
      const folder = await mkdtemp(join(tmpdir(), 'murmuration-state-'));
      const file = join(folder, 'state.json');
      const state = {
        cookies: [
          { name: 'session', value: '1', domain: '127.0.0.1', path: '/', expires: -1, httpOnly: false, secure: false, sameSite: 'Lax' },
        ],
        origins: [{ origin: new URL(url).origin, localStorage: [{ name: 'login', value: 'yes' }] }],
      };
      await writeFile(file, JSON.stringify(state));
      const result = await auditDeployed({ url, plan: { own: ['theme'] }, ...(storage && { storageState: file }) });
      await rm(folder, { recursive: true });
      return result;
    });

  test('has a telemetry only with the storage of somebody who signed in', async () => {
    expect((await audit(false)).verdict).toBe('passed');
    expect((await audit(false)).schema).toBeNull();
    expect((await audit(true)).schema?.document.app).toBe('audited');
  });

  test('is not blamed for that storage', async () => {
    expect(plainly(await audit(true), "the page's own storage before consent")).toBe('it stored nothing, or only what the plan names');
  });
});

describe('kill and back in Chromium', () => {
  const run = (parts: Parts) =>
    serving(parts, (url) => killAndBack('chromium', { url, plan: PLAN, files: new Map(), storageState: undefined }));

  test('an honest app reports each metric once', async () => {
    expect(await run({})).toMatchObject({ verdict: 'passed', evidence: expect.stringMatching(/one report each of .*dark/) });
  });

  test('an app without a ledger is found', async () => {
    expect(await run(cheats['skipped ledger'] ?? {})).toMatchObject({
      verdict: 'failed',
      evidence: expect.stringContaining('reports of dark'),
    });
  });
});

test('an engine that is not installed is not tested', async () => {
  const { verdict, evidence } = await killAndBack('webkit', {
    url: 'http://127.0.0.1:9/',
    plan: PLAN,
    files: new Map(),
    storageState: undefined,
  });
  expect([verdict, evidence]).toEqual(['not tested', expect.stringContaining('webkit')]);
});
