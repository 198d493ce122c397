/** The React hooks in a real Chromium, in StrictMode, with React 18 and 19: what stays the same in each render, and what is recorded once. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../kit/transport-server.ts';
import { launchChromium } from '../setup/chromium.ts';
import { watchedContext } from './context.ts';

const APP = `
import { createElement, StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { choice, defineSchema, flag, memoryStorage } from '@murmuration/client';
import { useRecordOnce, useTelemetry } from '@murmuration/client/react';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({ app: 'react', version: 1, budget: { epsilon: 3, per: 'month' },
  metrics: { dark: flag(ask), plan: choice(['free', 'pro'], ask), later: flag(ask) } });
const outcomes = [];
const options = { schema, endpoint: '/reports', storage: memoryStorage(), debug: false,
  onOutcome: ({ metric, result }) => outcomes.push(metric + ' ' + result) };
const functions = new Map();
const seen = { outcomes, renders: 0, effects: 0, consents: [] };

function Plan({ plan }) {
  useRecordOnce(options, 'plan', plan);
  return null;
}
function App() {
  const telemetry = useTelemetry(options);
  const { consent, record } = telemetry;
  const { record: recordInline } = useTelemetry({ ...options }); // other options in each render: those of the mount are used
  const [plan, setPlan] = useState('free');
  const [isShown, setShown] = useState(true);
  seen.renders++;
  seen.consents.push(consent.state);
  for (const [name, value] of Object.entries({ ...telemetry, ...consent }))
    if (typeof value === 'function') functions.set(name, (functions.get(name) ?? new Set()).add(value));
  useEffect(() => void seen.effects++, [record, telemetry.flush, consent.grant, consent.subscribe, recordInline]);
  Object.assign(window, { setPlan, setShown, telemetry });
  return isShown ? createElement(Plan, { plan }) : null;
}
window.seen = () => ({ ...seen, changing: [...functions].filter(([, values]) => values.size > 1).map(([name]) => name) });
createRoot(document.querySelector('div')).render(createElement(StrictMode, null, createElement(App)));
`;

interface Seen {
  readonly outcomes: readonly string[];
  readonly consents: readonly string[];
  readonly renders: number;
  readonly effects: number;
  readonly changing: readonly string[];
}

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

describe.each([
  ['18', { react: 'react-18', 'react-dom': 'react-dom-18' }],
  ['19', {}],
])('React %s', (version, alias) => {
  let server: RunningServer;
  let context: BrowserContext;
  let complaints: readonly string[];
  let page: Page;

  beforeEach(async () => {
    const { outputFiles } = await build({
      stdin: { contents: APP, resolveDir: fileURLToPath(new URL('../../examples', import.meta.url)) },
      absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
      alias,
      bundle: true,
      format: 'iife',
      define: { 'process.env.NODE_ENV': '"development"' },
      write: false,
    });
    const script = outputFiles[0]?.text ?? '';
    expect(script).toContain(`"${version}.`);
    server = await startServer(
      (path, response) => {
        if (path === '/app.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
        else if (path === '/')
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end('<!doctype html><link rel=icon href=data:><div></div><script src="/app.js"></script>');
        return ['/', '/app.js'].includes(path);
      },
      () => 204,
    );
    ({ context, complaints } = await watchedContext(browser));
    page = await context.newPage();
    await page.goto(`${server.address}/`);
  });
  afterEach(async () => {
    await context.close();
    await server.close();
    expect(complaints).toEqual([]);
  });

  const seen = (): Promise<Seen> => page.evaluate('seen()');
  const consented = (state: string): Promise<void> => expect.poll(async () => (await seen()).consents.at(-1)).toBe(state) as Promise<never>;

  test('every function stays the same, through renders and decisions', async () => {
    await consented('ask');
    const { effects } = await seen();
    await page.evaluate('telemetry.consent.grant()');
    await consented('granted');
    await page.evaluate("setPlan('pro')");
    await page.evaluate('telemetry.consent.deny()');
    await consented('denied');
    const after = await seen();
    expect([after.changing, after.effects]).toEqual([[], effects]);
    expect(after.renders).toBeGreaterThan(5);
  });

  test('useRecordOnce records once the person agrees, and not again', async () => {
    await consented('ask');
    await page.evaluate("setPlan('pro')");
    expect((await seen()).outcomes).toEqual([]);
    await page.evaluate('telemetry.consent.grant()');
    await consented('granted');
    await page.evaluate("setPlan('free')");
    await page.evaluate('telemetry.consent.deny()');
    await page.evaluate('telemetry.consent.grant()');
    await consented('granted');
    await page.evaluate('telemetry.flush()');
    expect((await seen()).outcomes.filter((outcome) => outcome.endsWith('recorded') || outcome.endsWith('answered'))).toEqual([
      'plan recorded',
    ]);
  });

  test('useRecordOnce records at the mount of a component where the person has agreed, once for each', async () => {
    await page.evaluate('setShown(false)');
    await consented('ask');
    await page.evaluate('telemetry.consent.grant()');
    await consented('granted');
    expect((await seen()).outcomes).toEqual([]);
    await page.evaluate('setShown(true)');
    await expect.poll(async () => (await seen()).outcomes).toEqual(['plan recorded']);
    await page.evaluate('setShown(false)');
    await page.evaluate('setShown(true)');
    await expect.poll(async () => (await seen()).outcomes).toContain('plan already-answered');
    expect((await seen()).outcomes.filter((outcome) => outcome.includes('answered'))).toHaveLength(1);
  });
});
