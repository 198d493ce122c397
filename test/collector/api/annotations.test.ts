/** Annotations: who may write what, and where it is seen; and the days on which versions of an app arrived, from its reports. */

import { randomBytes } from 'node:crypto';
import { defineSchema, flag } from '@murmuration/client';
import { createReader } from '@murmuration/collector/reader';
import { dayNumber, dayText, MAX_REPORTS, toBase64url } from '@murmuration/shared';
import { afterEach, describe, expect, test } from 'vitest';
import { arrivalsIn } from '#collector/answers/arrivals.ts';
import { addAnnotation, listAnnotations, removeAnnotation } from '#collector/storage/admin/annotations.ts';
import { createToken, type Role } from '#collector/storage/admin/credentials.ts';
import { emptyAdmin, openAdminDatabase } from '#collector/storage/admin/database.ts';
import { NOW, type Running, sendTo, start } from '../../kit/app.ts';

const asking = (app: string, segments: { readonly [name: string]: readonly [string, string] }) =>
  defineSchema({
    app,
    version: 1,
    budget: { epsilon: 9, per: 'month' },
    segments,
    metrics: { dark: flag({ epsilon: 1, description: 'Is dark mode on?' }), tour: flag({ epsilon: 1, description: 'Was the tour seen?' }) },
  });
const notes = asking('notes', { version: ['1.9', '2.0'] });
const other = asking('other', { platform: ['web', 'ios'] });

let running: Running | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

const today = dayNumber(NOW);

/** Batches of a day, with so many reports of each version. */
const bodies = (daysAgo: number, versions: { readonly [version: string]: number }): readonly string[] =>
  Object.entries(versions).map(([version, count]) =>
    JSON.stringify({
      v: 1,
      schema: notes.wire,
      day: dayText(today - daysAgo),
      batch: randomBytes(16).toString('hex'),
      segment: { version },
      reports: Array.from({ length: count }, () => ['dark', toBase64url(Uint8Array.of(1))]),
    }),
  );

describe('a version arrives', () => {
  const rows = (...days: readonly (readonly [day: number, version: string | undefined, reports: number])[]) =>
    days.map(([day, version, reports]) => ({ day, reports, segment: version === undefined ? {} : { version } }));

  test.each([
    ['on the first day with 20 reports and 5 %', rows([0, '1', 90], [9, '1', 90], [9, '2', 20]), [['2', 9]]],
    ['not with the early testers', rows([0, '1', 90], [9, '1', 90], [9, '2', 19], [10, '2', 50]), [['2', 10]]],
    ['not below 5 % of all, those without a version included', rows([0, '1', 90], [9, undefined, 400], [9, '2', 20]), []],
    ['not in the first week, in which it may be older', rows([0, '1', 90], [6, '2', 90], [7, '3', 90]), [['3', 7]]],
    ['not if a single report came in the first week', rows([0, '1', 90], [3, '2', 1], [9, '2', 90]), []],
    [
      'once',
      rows([0, '1', 90], [9, '2', 90], [9, '2', 90], [20, '2', 900], [20, '3', 900]),
      [
        ['2', 9],
        ['3', 20],
      ],
    ],
    ['never without reports', [], []],
  ] as const)('%s', (_when, counted, expected) => {
    expect(arrivalsIn(counted).map(({ version, day }) => [version, day])).toEqual(expected);
  });

  test('in a collector, from the segment of the reports, and none of an app without the segment', async () => {
    running = await start({ schemas: [notes.document, other.document], perMetric: MAX_REPORTS });
    for (const daysAgo of [12, 11, 10, 5]) await sendTo(running.url, bodies(daysAgo, { '1.9': 100 }));
    await sendTo(running.url, bodies(4, { '1.9': 100, '2.0': 3 }));
    await sendTo(running.url, bodies(3, { '1.9': 100, '2.0': 30 }));
    const reader = createReader(undefined, { url: running.url });
    expect(await reader.annotations()).toEqual([{ kind: 'version', app: 'notes', day: dayText(today - 3), text: '2.0' }]);
    expect(await reader.annotations({ app: 'other' })).toEqual([]);
  });
});

describe('an annotation', () => {
  const about = { app: 'notes', day: 20_000 } as const;

  test('has one line of text that turns nothing around, and an app at most 1,000', () => {
    const database = emptyAdmin();
    for (const text of ['', ' ', 'x'.repeat(201), 'two\nlines', 'bell\u0007', '\u202Eeno', '\uD800'])
      expect(() => addAnnotation(database, 'test', { ...about, text }), JSON.stringify(text)).toThrow('text: expected 1 to 200 characters');
    expect(() => addAnnotation(database, 'test', { ...about, app: 'no app', text: 'x' })).toThrow('app: expected a letter');
    expect(() => addAnnotation(database, 'test', { ...about, metric: '<b>', text: 'x' })).toThrow('metric: expected a letter');
    for (let i = 0; i < 1_000; i++) addAnnotation(database, 'test', { ...about, text: 'x' });
    expect(() => addAnnotation(database, 'test', { ...about, text: 'x' })).toThrow('fewer than 1000 annotations, got notes');
    expect(listAnnotations(database)).toHaveLength(1_000);
    addAnnotation(database, 'test', { ...about, app: 'other', text: 'x' });
  });

  test('has a number that is never used again', () => {
    const database = emptyAdmin();
    const { n } = addAnnotation(database, 'test', { ...about, text: 'one' });
    removeAnnotation(database, 'test', n);
    expect(addAnnotation(database, 'test', { ...about, text: 'two' }).n).toBeGreaterThan(n);
    expect(() => removeAnnotation(database, 'test', n)).toThrow(`number: expected that of an annotation, got ${n}`);
  });

  test('is written and removed over HTTP by reviewers, read by viewers, and of an app for those who may see it alone', async () => {
    running = await start({ open: false, schemas: [notes.document, other.document] });
    const { url, folder, collector } = running;
    const database = openAdminDatabase(folder);
    const token = (name: string, role: Role, apps: readonly string[] = []): string =>
      createToken(database, 'test', name, role, apps).secret;
    const [ann, ben, eve] = [token('ann', 'reviewer', ['notes']), token('ben', 'viewer', ['notes']), token('eve', 'admin', ['other'])];
    database.close();
    collector.admin.look();
    const send = async (method: string, secret: string, path = '', body?: unknown) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/annotations${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as { readonly [name: string]: unknown } };
    };
    const annotation = { app: 'notes', metric: 'dark', day: '2026-11-03', text: '<b>Campaign</b> & "more"' };
    const { body: added } = await send('POST', ann, '', annotation);
    expect(added).toEqual({ ...annotation, kind: 'note', n: expect.any(Number) });
    expect(await send('GET', ben)).toEqual({ status: 200, body: { annotations: [added] } });
    expect((await send('GET', eve)).body).toEqual({ annotations: [] });
    const wrong = [
      [{ ...annotation, text: 'two\nlines' }, 400, 'bad-annotation'],
      [{ ...annotation, day: '2026-02-30' }, 400, 'bad-annotation'],
      [{ ...annotation, who: 'me' }, 400, 'bad-annotation'],
      [{ ...annotation, metric: 'absent' }, 404, 'unknown-metric'],
      [{ ...annotation, app: 'other' }, 404, 'unknown-app'],
    ] as const;
    for (const [body, status, error] of wrong) expect(await send('POST', ann, '', body)).toMatchObject({ status, body: { error } });
    expect(await send('POST', ben, '', annotation)).toMatchObject({ status: 403 });
    expect(await send('DELETE', eve, `/${added['n']}`)).toMatchObject({ status: 404, body: { error: 'unknown-annotation' } });
    expect(await send('DELETE', ann, `/${added['n']}`)).toEqual({ status: 200, body: added });
    expect((await send('GET', ben)).body).toEqual({ annotations: [] });
    expect(collector.admin.actions(2, undefined, [])).toMatchObject([
      { who: 'ann', what: 'removed the annotation of 2026-11-03 of notes/dark: <b>Campaign</b> & "more"', app: 'notes' },
      { who: 'ann', what: 'annotated 2026-11-03 of notes/dark: <b>Campaign</b> & "more"', n: added['n'] },
    ]);
  });
});
