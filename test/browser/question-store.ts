/** A store with a past, for tests of a question's page: every type of question but discover, 40 days, two versions of a schema, three platforms, and a day of crafted reports. */

import { randomBytes } from 'node:crypto';
import {
  best,
  choice,
  choices,
  count,
  type DeviceQuestion,
  defineSchema,
  distribution,
  flag,
  histogram,
  joint,
  mean,
  text,
} from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type Collector, createCollector } from '@murmuration/collector';
import { dayText, type Law, MAX_REPORTS, type MetricDocument, toBase64url } from '@murmuration/shared';

const DAY_MS = 86_400_000;
const DAYS = 40;
/** The first day of version 2, which more people use in dark mode. */
export const RELEASE = 22;
/** The day of crafted reports. */
export const POISONED = 30;
const PER_DAY = 120;
const CRAFTED = 600;
/** A report that says yes, whatever the coins. */
const YES = toBase64url(Uint8Array.of(1));

const ask = { epsilon: 3, every: 'month' } as const;
/** Two plans whose names differ at their ends alone, and a third. */
const PLANS = ['free, with everything that the first year had', 'free, with everything that the second year had', 'pro'] as const;
const GENRES = ['Action', 'Drama', 'Western'] as const;
const PLATFORMS = ['web', 'ios', 'android'] as const;

const schemaOf = (version: number) =>
  defineSchema({
    app: 'notes',
    version,
    budget: { epsilon: 100, per: 'month' },
    segments: { platform: [...PLATFORMS] },
    metrics: {
      dark: flag({ ...ask, epsilon: 1, description: 'Is dark mode on?', owner: 'design', publish: true }),
      plan: choice(PLANS, {
        ...ask,
        description: 'Which plan?',
      }),
      minutes: mean([0, 120], { ...ask, unit: 'minutes', description: 'How long is a session?' }),
      start: distribution([0, 100], { ...ask, unit: 'ms', description: 'How long does a start take?', publish: true }),
      page: text({ ...ask, description: 'Which page opens first?' }),
      parts: choices(['lists', 'links', 'images', 'code'], { ...ask, atMost: 2, description: 'Which parts are in use?' }),
      films: count(20, { ...ask, unit: 'films', description: 'How many films were seen?' }),
      wait: histogram([100, 1000], { ...ask, unit: 'ms', description: 'How long is the wait?' }),
      film: joint({ genre: GENRES, rating: ['G', 'R'] }, { ...ask, description: 'Which film was seen last?' }),
      layout: best(['list', 'grid'], { ...ask, utility: { few: [1, 0], many: [0, 1] }, description: 'Which layout suits best?' }),
      unasked: flag({ ...ask, description: 'Was the tour seen?' }),
    },
  });

const [before, after] = [schemaOf(1), schemaOf(2)];
const today: number = Math.floor(Date.now() / DAY_MS);
/** A day of the past, as it is written. */
export const dayAt = (day: number): string => dayText(today - DAYS + 1 + day);

const options = {
  open: true,
  schemas: [before.document, after.document],
  candidates: { page: ['inbox', 'today', 'search', 'nowhere', '=1+1'] },
  minimum: 20,
  perMetric: MAX_REPORTS,
};

/** Makes the past in a folder, and serves it. */
export async function startPast(data: string): Promise<{ readonly collector: Collector; readonly address: string }> {
  let now = today;
  const past = await createCollector({ ...options, data, now: () => now * DAY_MS });
  const url = await past.listen(0, '127.0.0.1');
  const coins = createCoins(words(seededRng(7)));
  const chance = (share: number): boolean => coins.uniform(1_000) < 1_000 * share;
  for (let day = 0; day < DAYS; day++) {
    now = today - DAYS + 1 + day;
    const schema = day < RELEASE ? before : after;
    const randomize = (metric: string, value: unknown): [string, string] => {
      const { law } = schema.document.metrics[metric] as MetricDocument;
      const { input, randomizers } = schema.questions[metric as 'dark'] as unknown as DeviceQuestion<never>;
      const draw = randomizers[law.mechanism] as unknown as (law: Law, input: unknown, coins: unknown) => Uint8Array;
      return [metric, toBase64url(draw(law, input(value as never), coins))];
    };
    for (const [i, platform] of PLATFORMS.entries()) {
      const reports = Array.from({ length: PER_DAY / PLATFORMS.length }, () => [
        randomize('dark', chance((day < RELEASE ? 0.3 : 0.55) + 0.12 * i)),
        randomize('plan', chance(0.2) ? 'pro' : chance(0.3) ? PLANS[1] : PLANS[0]),
        randomize('minutes', 20 + coins.uniform(day < RELEASE ? 20 : 40)),
        randomize('start', (coins.uniform(40) + coins.uniform(40)) % 100),
        randomize('parts', chance(0.5) ? ['lists', 'code'] : ['links']),
        randomize('films', coins.uniform(9)),
        randomize('wait', chance(0.7) ? 300 : 30),
        randomize('film', chance(0.6) ? { genre: 'Drama', rating: 'R' } : { genre: GENRES[coins.uniform(3)], rating: 'G' }),
        randomize('layout', chance(0.7) ? 'few' : 'many'),
        randomize('page', chance(0.5) ? 'inbox' : chance(0.5) ? 'today' : '=1+1'),
      ]).flat();
      const crafted = day === POISONED && platform === 'web' ? Array.from({ length: CRAFTED }, () => ['dark', YES] as const) : [];
      await send(url, schema.wire, dayAt(day), platform, [...reports, ...crafted]);
    }
  }
  await past.close();
  const collector = await createCollector({ ...options, data });
  return { collector, address: await collector.listen(0, '127.0.0.1') };
}

async function send(
  url: string,
  schema: string,
  day: string,
  platform: string,
  reports: readonly (readonly [string, string])[],
): Promise<void> {
  for (let i = 0; i < reports.length; i += MAX_REPORTS) {
    const body = {
      v: 1,
      schema,
      day,
      batch: randomBytes(16).toString('hex'),
      segment: { platform },
      reports: reports.slice(i, i + MAX_REPORTS),
    };
    const response = await fetch(`${url}/v1/reports`, { method: 'POST', body: JSON.stringify(body) });
    if (response.status !== 204) throw new Error(`expected status 204, got ${response.status}: ${await response.text()}`);
  }
}
