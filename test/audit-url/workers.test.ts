/** Workers of an audited page: in each kind, the hooks run before its first script, its clock is the audit's, and its requests are seen. */

import { expect, test } from 'vitest';
import { launch } from '#collector/planning/audit/deployed/browser.ts';
import { Visit } from '#collector/planning/audit/deployed/visit.ts';
import { serveFiles, WORKERS } from './apps.ts';

const WORKER = `
const began = Date.now();
const tell = (what) => fetch('/told/' + what);
tell(globalThis.secret ? 'hooked' : 'bare');
setTimeout(() => tell('after-' + (Date.now() - began)), 3000);
setInterval(() => tell('again-' + (Date.now() - began)), 4000);
fetch('/telemetry/v1/reports', { method: 'POST', body: 'a report' }).then(({ status }) => tell('status-' + status));
if ('clients' in globalThis) addEventListener('install', () => skipWaiting());
`;
const FILES = {
  '/worker.js': WORKER,
  '/outer.js': `new Worker('/worker.js'); onmessage = () => undefined;`,
};

test.each(Object.entries(WORKERS))('%s', async (_, begin) => {
  const { url, close } = await serveFiles({ ...FILES, '/': `<!doctype html><title>Worker</title><script type="module">${begin}</script>` });
  const { browser, workers, close: end } = await launch();
  const site = {
    browser,
    workers,
    url,
    plan: {},
    files: new Map(),
    secret: 'secret',
    hashes: new Map(),
    unwatched: new Set<string>(),
    background: { pending: 0 },
  };
  const visit = await Visit.begin(site);
  await visit.open();
  await visit.settle(3);
  const told = visit.sent.flatMap((each) => (each.url.includes('/told/') ? [each.url.replace(/.*\/told\//, '')] : []));
  expect(told).toEqual(['hooked', 'status-204', 'after-3000', 'again-4000', 'again-8000']);
  expect(visit.reports.map(({ body }) => body)).toEqual(['a report']);
  expect(await visit.unwatched()).toEqual([]);
  await visit.close();
  await end();
  await close();
});
