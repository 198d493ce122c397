/** Questions that are published: anybody may read them, and nothing of who took part, of few people, or of what is not published. */

import { type SchemaDocument, wireName } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answers, type PublicQuestion } from '#collector/api/forms/answers.ts';
import { roundedCount } from '#collector/server/http/public.ts';
import { bodyOf, NOW, schema as notes, type Running, read, start } from '../../kit/app.ts';

/** The app, which publishes these of its metrics. Only what is said about them differs. */
function publishing(...names: readonly string[]): SchemaDocument {
  const about = Object.entries(notes.document.about).map(([name, each]) => [
    name,
    { ...each, owner: 'the secret team', ...(names.includes(name) && { publish: true }) },
  ]);
  return { ...notes.document, about: Object.fromEntries(about) };
}

const SHOWN = ['plan', 'speed', 'spread', 'constructor'] as const;

let running: Running;
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${running.url}${path}`, { headers });
const textOf = async (metric: string): Promise<string> => (await get(`/v1/public/notes/${metric}`)).text();
const send = async (devices: number, platform: 'web' | 'ios', daysAgo: number): Promise<void> =>
  running.send(await Promise.all(Array.from({ length: devices }, (_, device) => bodyOf(device, platform, daysAgo))));

/** Today is a Friday. These are the Saturdays of the last week and of the one before. */
const [LAST, BEFORE] = [6, 13];

beforeAll(async () => {
  running = await start({ schemas: [publishing(...SHOWN, 'home')], access: { frameAncestors: ['https://blog.example'] } });
  await send(130, 'web', LAST);
});
afterAll(() => running.close());

describe('what anybody sees', () => {
  test.each(SHOWN)('%s has the form that is documented, and the numbers of readers to two digits of their error', async (metric) => {
    const shown = answers.question.parse(JSON.parse(await textOf(metric))) as PublicQuestion;
    expect(shown.metric).toMatchObject({ reports: 130, from: '2026-11-09', to: '2026-11-15', versions: [], segments: {} });
    expect(shown.series?.points).toMatchObject([{ from: '2026-11-09', to: '2026-11-15', reports: 130 }]);
    const { body } = await read<NonNullable<PublicQuestion['estimates']>>(`${running.url}/v1/metrics/${metric}/estimates`);
    expect(shown.estimates?.verdict?.kind).toBe(body.verdict?.kind);
    for (const [i, { label, estimate, standardError, low, high }] of body.answers.entries()) {
      const found = shown.estimates?.answers[i];
      expect(found?.label).toBe(label);
      expect(Math.abs((found?.estimate ?? 0) - estimate)).toBeLessThanOrEqual(0.05 * standardError * (1 + 1e-9));
      expect(`${found?.standardError}`.replace(/^0\.0*|\.|0+$|e.*/g, '').length).toBeLessThanOrEqual(2);
      expect([(found?.low ?? 1) <= low, (found?.high ?? 0) >= high]).toEqual([true, true]);
    }
  });

  test('weeks of few, this week, segments and a few late reports change nothing', async () => {
    const before = await Promise.all(SHOWN.map(textOf));
    await send(40, 'ios', BEFORE);
    await send(40, 'ios', 1);
    await running.collector.updateSchemas([publishing(...SHOWN, 'home')]); // so that it is made again
    expect(await Promise.all(SHOWN.map(textOf))).toEqual(before);
    for (const text of before) expect(text).not.toMatch(/secret|owner|platform|ios|web|home|visits|truth|normSub|excluded/);
  });

  test('a count has two digits, and is never more than it is', () => {
    const counts = [0, 7, 99, 100, 129, 130, 999, 1_234_567];
    expect(counts.map(roundedCount)).toEqual([0, 7, 99, 100, 120, 130, 990, 1_200_000]);
  });

  test('it may be kept for five minutes and read by any page, and is not sent twice', async () => {
    const { headers } = await get('/v1/public/notes/plan');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    // `fetch` asks caches on the way to be passed, which Express takes as a wish for the whole answer.
    const again = await get('/v1/public/notes/plan', { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' });
    expect(again.status).toBe(304);
  });
});

describe('what nobody sees', () => {
  test.each([
    ['a metric that is not published', 'notes/dark'],
    ['a metric with strings, though it is published', 'notes/home'],
    ['a metric that is not there', 'notes/darker'],
    ['an app that is not there', 'maps/plan'],
    ['a name of every object', 'notes/toString'],
  ])('%s is refused in the same words', async (_, name) => {
    for (const headers of [{}, { 'if-none-match': '*' }, { accept: 'text/event-stream' }]) {
      const response = await get(`/v1/public/${name}`, headers);
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: 'unknown-metric', expected: 'a question that is published', got: name },
      ]);
      expect([response.headers.get('cache-control'), response.headers.get('etag')]).toEqual(['no-store', null]);
    }
  });

  test('no parameter chooses reports, whether or not the question is there', async () => {
    for (const name of ['plan', 'dark', 'darker'])
      for (const query of ['from=2026-11-14', 'segment.platform=ios', 'a.version=1', 'exclude=2026-11-14', 'minimum=1', 'x'])
        expect([name, query, (await get(`/v1/public/notes/${name}?${query}`)).status]).toEqual([name, query, 400]);
  });

  test('publishing changes no wire name, works at once, and so does taking it back', async () => {
    expect(wireName(publishing('dark'))).toBe(wireName(notes.document));
    await running.collector.updateSchemas([publishing('dark')]);
    expect([(await get('/v1/public/notes/dark')).status, (await get('/v1/public/notes/plan')).status]).toEqual([200, 404]);
    await running.collector.updateSchemas([publishing(...SHOWN)]);
    expect([(await get('/v1/public/notes/dark')).status, (await get('/v1/public/notes/plan')).status]).toEqual([404, 200]);
  });
});

test('once days are kept as months, the sentence holds at a single look, since old weeks go', async () => {
  let later = 0;
  const kept = await start({ schemas: [publishing('constructor')], retention: { dailyFor: 31 }, now: () => NOW + later * 86_400_000 });
  await kept.send(await Promise.all(Array.from({ length: 100 }, (_, device) => bodyOf(device, 'web', LAST))));
  // Half of the devices say yes: a share near 0 or 1 would be impossible, and have no verdict, in 1 % of honest runs.
  const looks = async (): Promise<unknown> =>
    (await read<PublicQuestion>(`${kept.url}/v1/public/notes/constructor`)).body.estimates?.verdict?.looks;
  expect(await looks()).toBe('always');
  later = 60;
  expect(await looks()).toBe('once');
  await kept.close();
});

test('a collector that asks readers for a token shows what is published without one, and where there are too few reports, none', async () => {
  const closed = await start({ open: false, schemas: [publishing('plan')] });
  expect((await fetch(`${closed.url}/v1/metrics`)).status).toBe(401);
  const response = await fetch(`${closed.url}/v1/public/notes/plan`);
  expect([response.status, Object.keys((await response.json()) as object)]).toEqual([200, ['metric', 'doubtful']]);
  await closed.close();
});

test('only pages below /embed/ may be in frames of the sites that the operator names', async () => {
  const policies = await Promise.all(
    ['/embed/notes/plan', '/embed/maps/none', '/public/notes/plan', '/', '/questions/plan'].map(async (path) => {
      const { status, headers } = await get(path);
      return [status, /frame-ancestors [^;]*/.exec(headers.get('content-security-policy') ?? '')?.[0], headers.get('x-frame-options')];
    }),
  );
  const framed = [200, "frame-ancestors 'self' https://blog.example", null];
  const own = [200, "frame-ancestors 'self'", 'SAMEORIGIN'];
  expect(policies).toEqual([framed, framed, own, own, own]);
});
