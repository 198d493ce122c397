/** The queries of docs/deploy/grafana-infinity.json, asked of a real collector as the Infinity data source asks them. Grafana is not run. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createToken, createWriteKey } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { bodyOf, type Running, schema, start } from '../kit/app.ts';
import { deployed } from './deployed.ts';

interface Query {
  readonly url: string;
  readonly url_options: { readonly params: readonly { readonly key: string; readonly value: string }[] };
  readonly root_selector: string;
  readonly columns: readonly { readonly selector: string; readonly type: 'string' | 'number' | 'timestamp' }[];
}

const { panels, templating } = JSON.parse(deployed('grafana-infinity.json')) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly [Query] }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string | { readonly infinityQuery: Query } }[] };
};

let running: Running;
let token: string;
beforeAll(async () => {
  running = await start({ open: false });
  const database = openAdminDatabase(running.folder);
  token = createToken(database, 'test', 'grafana', 'viewer', ['notes']).secret;
  const key = createWriteKey(database, 'test', 'notes').secret;
  database.close();
  running.collector.admin.look();
  const bodies = await Promise.all(Array.from({ length: 40 }, (_, device) => bodyOf(device, 'web', device % 10)));
  for (const body of bodies) expect((await fetch(`${running.url}/v1/reports?key=${key}`, { method: 'POST', body })).status).toBe(204);
});
afterAll(() => running.close());

/** A member at a path of the names and places that the plugin's paths (gjson) have here. */
const at = (value: unknown, path: string): unknown =>
  path === '' ? value : path.split('.').reduce((within: unknown, name) => (within as Record<string, unknown> | undefined)?.[name], value);

/** The rows of a query, with the variables of the dashboard filled in. */
async function rowsOf(
  { url, url_options, root_selector, columns }: Query,
  variables: Record<string, string>,
): Promise<readonly unknown[][]> {
  const fill = (text: string): string => text.replace(/\$\{(\w+)\}/g, (_, name: string) => variables[name] ?? 'no such variable');
  const query = new URLSearchParams(url_options.params.map(({ key, value }) => [key, fill(value)]));
  const response = await fetch(`${running.url}${fill(url)}?${query}`, { headers: { authorization: `Bearer ${token}` } });
  expect([url, response.status]).toEqual([url, 200]);
  const rows = [at(await response.json(), root_selector)].flat();
  return rows.map((row) => columns.map(({ selector }) => at(row, selector)));
}

const RIGHT = {
  string: (value: unknown): boolean => typeof value === 'string',
  number: Number.isFinite,
  timestamp: (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
};

test('the variable of metrics lists those of the app', async () => {
  const [{ query } = { query: '' }] = templating.list.filter(({ name }) => name === 'metric');
  const rows = await rowsOf((query as { readonly infinityQuery: Query }).infinityQuery, {});
  expect(rows.flat().sort()).toEqual(Object.keys(schema.document.metrics).sort());
});

test.each(panels.flatMap(({ title, targets: [query] }) => ['plan', 'speed', 'spread'].map((metric) => [title, metric, query] as const)))(
  '%s: every column of %s has values of its type',
  async (title, metric, query) => {
    const rows = await rowsOf(query, { app: 'notes', metric, interval: 'week' });
    if (title === 'Signs') return expect(rows).toEqual([]); // honest reports show none
    expect(rows.length).toBeGreaterThan(0);
    for (const [i, { selector, type }] of query.columns.entries()) {
      const values = rows.map((row) => row[i]).filter((value) => value !== undefined && value !== null);
      // A verdict may name no answer, and a distribution has none over time.
      if (values.length === 0) expect(selector).toMatch(metric === 'spread' ? /^(answers|verdict)\./ : /^verdict\.(answers|interval)/);
      expect([selector, values.every(RIGHT[type])]).toEqual([selector, true]);
    }
  },
);

test('the data source sends a token, to the host that it reads alone', () => {
  const { datasources } = parse(deployed('grafana-infinity.yaml')) as { datasources: readonly Record<string, unknown>[] };
  expect(datasources).toMatchObject([
    {
      type: 'yesoreyeram-infinity-datasource',
      url: 'https://t.example.com',
      jsonData: { auth_method: 'bearerToken', allowedHosts: ['https://t.example.com'] },
    },
  ]);
});
