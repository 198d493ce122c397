/** Each route has one spelling: rules of a proxy for a path, and the collector's own guards, can't be passed by another one. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { rotated } from '#collector/ingest/relay-keys.ts';
import { HEALTH_ROUTES } from '#collector/server/health/health.ts';
import { type Running, schema, start } from '../../kit/app.ts';
import { describedAt } from './described.ts';

let running: Running;
beforeAll(async () => {
  const { about, ...document } = schema.document;
  const relay = rotated(undefined, 20_000, 0);
  running = await start({ relay, schemas: [{ ...document, about: { ...about, plan: { description: 'Which plan?', publish: true } } }] });
});
afterAll(() => running.close());

/** A path with a trailing slash, and with each of its own letters as a capital one. */
const others = (path: string): readonly string[] => [
  `${path}/`,
  ...path.split('/').flatMap((part, i, parts) => {
    const changed = part.toUpperCase();
    return changed === part || part.startsWith('{') ? [] : [parts.with(i, changed).join('/')];
  }),
];

/** What the routes say that have nothing under such a name. */
const NOTHING = /unknown-annotation|a tile of the log|a schema in the log/;

test('every route, of the description and of the probes, answers under its spelling only', async () => {
  const { paths } = await describedAt(running.url);
  const described = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => [path, method] as const));
  expect(described.length).toBeGreaterThan(15);
  for (const [path, method] of [...described, ...HEALTH_ROUTES.map((each) => [each.path, 'get'] as const)]) {
    const ask = async (at: string): Promise<number> => {
      const url = running.url + at.replace('{name}', 'home').replace('{app}/{metric}', 'notes/plan');
      const response = await fetch(url, { method: method.toUpperCase() });
      return NOTHING.test(await response.text()) ? 200 : response.status;
    };
    expect(await ask(path), `${method} ${path}`).not.toBe(404);
    for (const other of others(path)) expect(await ask(other), `${method} ${other}`).toBe(404);
  }
});
