/** The statements of docs/sql.md and of its dashboard, on real PostgreSQL, with the role of that page. */

import { createCollector } from '@murmuration/collector';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connected } from '#collector/storage/postgres/connection.ts';
import { SCHEMA } from '#collector/storage/postgres/tables.ts';
import { until } from '../faults/outcome.ts';
import { bodyOf, NOW, schema, sendTo } from '../kit/app.ts';
import { createDatabase, dropDatabase } from '../setup/postgres.ts';
import { execute } from '../setup/postgres-server.ts';
import { deployed, replaced } from './deployed.ts';

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly rawSql: string }[];
}
interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string;
}
const dashboard = JSON.parse(deployed('postgres/estimates.grafana.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
};
const [grant = '', grantOne = '', revoke = '', ...questions] = [...deployed('../sql.md').matchAll(/```sql\n(.*?)```/gs)].map(
  ([, sql = '']) => sql,
);

let url: string;
let role: string;
/** A role of the page that may see one app only. */
let oneRole: string;
/** The same database, for the role of the page. */
let readerUrl: string;
const urlFor = (username: string): string => Object.assign(new URL(url), { username }).href;
beforeAll(async () => {
  url = await createDatabase();
  const name = new URL(url).pathname.slice(1);
  role = `bi_${name}`; // roles are shared by all databases of the server
  oneRole = `one_${name}`;
  readerUrl = urlFor(role);
  const options = { open: true, allowLoss: true, minimum: 1, now: () => NOW, schemas: [schema.document], postgres: url };
  const taker = await createCollector(options);
  const bodies = await Promise.all(Array.from({ length: 60 }, (_, i) => bodyOf(i, 'web', i % 4)));
  await sendTo(await taker.listen(0, '127.0.0.1'), bodies);
  await taker.close();
  const keeper = await createCollector({ ...options, views: true });
  const isThere = async (): Promise<boolean> => {
    const [[metrics] = []] = await execute(url, `SELECT count(*)::integer FROM ${SCHEMA}.bi_metrics WHERE reports = 60`);
    return metrics === 7;
  };
  expect(await until(isThere, 120_000)).toBe(true);
  await keeper.close();
  await execute(url, replaced(grant, [' bi ', ` ${role} `], [' bi;', ` ${role};`]));
}, 150_000);
afterAll(async () => {
  for (const each of [role, oneRole]) await execute(url, `DROP OWNED BY ${each}; DROP ROLE ${each}`);
  await dropDatabase(url);
});

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A statement as Grafana sends it: `sqlstring` quotes a value, and `$__timeFilter` is a range of the dashboard's time. */
function filled(sql: string, values: { readonly [name: string]: string }): string {
  const text = sql
    .replace(/\$__timeFilter\((\w+)\)/g, "$1 BETWEEN '2026-08-22T12:00:00Z' AND '2026-11-20T12:00:00Z'")
    .replace(/\$\{(\w+):sqlstring\}/g, (_, name: string) => quoted(values[name] ?? ''));
  expect(text).not.toMatch(/\$/);
  return text;
}

test('the role reads the two views, changes nothing, and sees no other table', async () => {
  const tables = await execute(
    url,
    `SELECT relname FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind IN ('r', 'p', 'v')`,
  );
  const names = tables.map(([name]) => String(name));
  expect(names.length).toBeGreaterThan(15);
  for (const name of names) {
    const reading = execute(readerUrl, `SELECT * FROM ${SCHEMA}.${name} LIMIT 1`);
    if (/^bi_(metrics|estimates)$/.test(name)) expect(await reading).toHaveLength(1);
    else await expect(reading, name).rejects.toThrow(`permission denied for table ${name}`);
    await expect(execute(readerUrl, `DELETE FROM ${SCHEMA}.${name}`), name).rejects.toThrow('permission denied');
  }
  await expect(execute(readerUrl, `CREATE TABLE ${SCHEMA}.mine (n integer)`)).rejects.toThrow('permission denied for schema');
  expect(await execute(readerUrl, 'SHOW statement_timeout')).toEqual([['30s']]);
});

test('every panel of the dashboard has rows, for a metric of each unit', async () => {
  const variables = dashboard.templating.list.filter(({ type }) => type === 'query');
  for (const metric of ['plan', 'speed']) {
    const values: { [name: string]: string } = { span: 'day' };
    for (const { name, query } of variables) {
      const options = (await execute(readerUrl, filled(query, values))).map(([value]) => String(value));
      expect(options.length, name).toBeGreaterThan(0);
      values[name] = name === 'metric' ? metric : (options[0] as string);
    }
    for (const { title, targets } of dashboard.panels)
      for (const { rawSql } of targets) {
        const rows = await execute(readerUrl, filled(rawSql, values));
        // A number has no shares.
        if (!(metric === 'speed' && title === 'Shares of all days')) expect(rows.length, title).toBeGreaterThan(0);
      }
  }
});

test('a value with a quote is no statement', async () => {
  const [, panel] = dashboard.panels;
  const sql = filled(panel?.targets[0]?.rawSql ?? '', { app: "' OR true --", metric: 'plan', span: 'day' });
  expect(await execute(readerUrl, sql)).toEqual([]);
});

test('the questions of the page have rows', async () => {
  expect(questions.length).toBe(2);
  for (const sql of questions) {
    const text = sql.replace('{{app}}', quoted('notes')).replace('{{metric}}', quoted('plan'));
    expect((await execute(readerUrl, text)).length, sql).toBeGreaterThan(0);
  }
});

/** A function of the reader that tells a row of another app which PostgreSQL shows it; it costs nothing, so it is called early. */
const PEEK = `CREATE FUNCTION pg_temp.peek(app text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS
  $$ BEGIN IF app <> 'notes' THEN RAISE EXCEPTION 'saw %', app; END IF; RETURN true; END $$`;

test('a role of one app sees no other app, not even by a function of its own', async () => {
  await execute(
    url,
    `INSERT INTO ${SCHEMA}.estimated (shard, app, metric, computed) VALUES (0, 'secret', 'plan', now());
      INSERT INTO ${SCHEMA}.estimate (shard, app, metric, span, first_day, position, last_day, answer, unit, estimate, low, high, reports)
        VALUES (0, 'secret', 'plan', 'all', '2026-11-20', 0, '2026-11-20', 'free', 'share', 0.5, 0.4, 0.6, 9)`,
  );
  await execute(url, replaced(grantOne, [' bi_notes ', ` ${oneRole} `], [' bi_notes;', ` ${oneRole};`]));
  const ends = await execute(url, `SELECT rolconfig::text[] FROM pg_roles WHERE rolname IN ('${role}', '${oneRole}')`);
  expect(ends).toEqual(Array(2).fill([['statement_timeout=30s', 'idle_in_transaction_session_timeout=60s']]));
  const peek = (view: string): Promise<readonly (readonly unknown[])[]> =>
    connected({ postgres: urlFor(oneRole) }, async (query) => {
      await query(PEEK);
      await query('SET enable_indexscan = off');
      await query('SET enable_bitmapscan = off');
      return query(`SELECT DISTINCT app FROM ${SCHEMA}.${view} WHERE pg_temp.peek(app)`);
    });
  for (const view of ['notes_metrics', 'notes_estimates']) {
    expect(await peek(view)).toEqual([['notes']]);
    await execute(url, `ALTER VIEW ${SCHEMA}.${view} RESET (security_barrier)`);
    await expect(peek(view)).rejects.toThrow('saw secret');
    await execute(url, `ALTER VIEW ${SCHEMA}.${view} SET (security_barrier)`);
    await expect(execute(urlFor(oneRole), `SELECT * FROM ${SCHEMA}.${view.replace('notes', 'bi')}`)).rejects.toThrow('permission denied');
  }
  await execute(url, replaced(revoke, [' telemetry ', ` ${new URL(url).pathname.slice(1)} `]));
  await expect(peek('notes_metrics')).rejects.toThrow('permission denied to create temporary');
});
