/**
 * The past of the demo, in seconds: the shipped randomizers on seeded coins instead of whole clients, and many devices' reports in one batch.
 * A collector whose clock is set to each day takes the batches over its route.
 *
 * A device comes on some day, and again each week. It answers a question of a year at its first visit, one of a month at every fifth.
 */

import { randomBytes } from 'node:crypto';
import type { DeviceQuestion, DeviceQuestions } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { createCollector } from '@murmuration/collector';
import { type Batch, type Cadence, dayText, type Law, MAX_REPORTS, type MetricDocument, toBase64url } from '@murmuration/shared';
import { type Answers, countTruth, type Device, type Name, type People, people, type Truths } from './data.ts';
import { ARMS, before, schema } from './schema.ts';
import { type Arm, DAYS, POISONED, RELEASE, ROLLOUT_DAYS, SILENT, type Version, WEEK } from './story.ts';

const DAY = 86_400_000;
const VISITS = { every: 7, perMonth: 5 } as const;

/** A device with what it remembers. */
interface Visitor extends Device {
  readonly since: number;
  readonly arm: Arm;
  /** The day from which it has 2.0. */
  readonly updates: number;
  /** What it answers to the permanent question, and the symbol that it stores for it. */
  readonly when: Answers['when'];
  readonly symbol: string;
  /** True once it has answered `found`, which only 2.0 asks. */
  hasFound: boolean;
}

/** What a past is made of. */
export interface PastOrders {
  /** The folder of the store. */
  readonly data: string;
  /** The day after the last one, counted from 1970-01-01. */
  readonly today: number;
  /** New devices on an average day. */
  readonly perDay: number;
  readonly seed: number;
}

/** A past that has been stored. */
export interface Past {
  readonly devices: number;
  /** Of reports that devices sent, so without crafted ones. */
  readonly truths: Truths;
}

const questions: DeviceQuestions = schema.questions;
const metrics = schema.document.metrics as { readonly [metric: string]: MetricDocument };
const askedEvery = (cadence: Cadence): readonly string[] =>
  Object.keys(before.questions).filter((name) => metrics[name]?.every === cadence);
const [yearly, monthly] = [askedEvery('year'), askedEvery('month')];

/** The batches of a day. */
class Batches {
  readonly #batches = new Map<string, { readonly batch: Batch; readonly reports: [metric: string, report: string][] }[]>();
  readonly #day: string;

  constructor(day: number) {
    this.#day = dayText(day);
  }

  add({ platform, arm }: Pick<Visitor, 'platform' | 'arm'>, version: Version, metric: string, report: string): void {
    const key = `${platform} ${version} ${arm}`;
    const alike = this.#batches.get(key) ?? [];
    this.#batches.set(key, alike);
    if ((alike.at(-1)?.reports.length ?? MAX_REPORTS) === MAX_REPORTS) {
      const reports: [string, string][] = [];
      const named = { v: 1, day: this.#day, batch: randomBytes(16).toString('hex'), reports } as const;
      const of = version === '1.9' ? before : schema;
      const segment = version === '1.9' ? { platform, version } : { platform, version, search: arm };
      alike.push({ reports, batch: { ...named, schema: of.wire, segment } });
    }
    alike.at(-1)?.reports.push([metric, report]);
  }

  bodies(): readonly string[] {
    return [...this.#batches.values()].flat().map(({ batch }) => JSON.stringify(batch));
  }
}

/** A source of reports: the randomizers of the questions, on seeded coins. */
class Randomizers {
  readonly coins: ReturnType<typeof createCoins>;

  constructor(seed: number) {
    this.coins = createCoins(words(seededRng(seed)));
  }

  /** A report of a value or, of a permanent question, the symbol that a device stores. */
  randomize(metric: string, value: unknown): string {
    const { law } = metrics[metric] as MetricDocument;
    const { input, randomizers } = questions[metric] as DeviceQuestion<never>;
    const draw = randomizers[law.mechanism] as unknown as (law: Law, input: unknown, coins: unknown) => Uint8Array;
    return toBase64url(draw(law, input(value as never), this.coins));
  }

  /** A report of a stored symbol. */
  respond(metric: string, symbol: string): string {
    const { respondStored } = questions[metric] as DeviceQuestion<never>;
    if (respondStored === undefined) throw new TypeError(`${metric}: expected a permanent question`);
    return toBase64url(respondStored((metrics[metric] as MetricDocument).law, symbol, this.coins));
  }
}

/** The devices of the past. */
class Fleet {
  readonly truths: Truths = {};
  readonly #visitors: Visitor[] = [];
  readonly #people: People;
  readonly #randomizers: Randomizers;

  constructor(seed: number) {
    this.#people = people(2 * seed);
    this.#randomizers = new Randomizers(2 * seed + 1);
  }

  get devices(): number {
    return this.#visitors.length;
  }

  #arrive(day: number): void {
    const { coins } = this.#randomizers;
    const device = this.#people.device();
    const arm = ARMS[coins.uniform(ARMS.length)] as Arm;
    const { when } = this.#people.answers(device, '1.9', arm);
    const symbol = this.#randomizers.randomize('when', when);
    this.#visitors.push({ ...device, since: day, arm, updates: RELEASE + coins.uniform(ROLLOUT_DAYS), when, symbol, hasFound: false });
  }

  #visit(day: number, visitor: Visitor, batches: Batches): void {
    const version = day < visitor.updates ? '1.9' : '2.0';
    const visits = (day - visitor.since) / VISITS.every;
    const due = [...(visits === 0 ? yearly : []), ...(visits % VISITS.perMonth === 0 ? monthly : [])];
    if (version === '2.0' && !visitor.hasFound) {
      visitor.hasFound = true;
      due.push('found');
    }
    const take = (metric: string, value: unknown, report: string): void => {
      countTruth(this.truths, metric, value);
      batches.add(visitor, version, metric, report);
    };
    take('when', visitor.when, this.#randomizers.respond('when', visitor.symbol));
    if (due.length === 0) return;
    const answers = this.#people.answers(visitor, version, visitor.arm);
    for (const metric of due) {
      if (metric === SILENT.metric && day >= SILENT.day) continue;
      const value = answers[metric as Name];
      take(metric, value, this.#randomizers.randomize(metric, value));
    }
  }

  /** The reports of a day, of devices that come for the first time and again. */
  live(day: number, date: number, arrivals: number): Batches {
    const batches = new Batches(date);
    for (let i = 0; i < arrivals; i++) this.#arrive(day);
    for (const visitor of this.#visitors) if ((day - visitor.since) % VISITS.every === 0) this.#visit(day, visitor, batches);
    return batches;
  }

  /** Adds one report again and again, until it is the story's part of all. */
  poison(batches: Batches, honest: number): void {
    const { metric, word, part } = POISONED;
    const report = this.#randomizers.randomize(metric, word);
    const count = Math.round((honest * part) / (1 - part));
    for (let i = 0; i < count; i++) batches.add({ platform: 'desktop', arm: ARMS[0] }, '1.9', metric, report);
  }
}

/** Makes the past, and leaves it in the store of a folder. */
export async function makePast({ data, today, perDay, seed }: PastOrders): Promise<Past> {
  let now = today;
  const schemas = [before.document, schema.document];
  const collector = await createCollector({ open: true, schemas, data, now: () => now * DAY, perMetric: MAX_REPORTS });
  try {
    const address = await collector.listen(0, '127.0.0.1');
    const fleet = new Fleet(seed);
    for (let day = 0; day < DAYS; day++) {
      now = today - DAYS + day;
      const arrivals = Math.round(perDay * (WEEK[day % WEEK.length] as number));
      const batches = fleet.live(day, now, arrivals);
      if (day === POISONED.day) fleet.poison(batches, arrivals);
      await Promise.all(batches.bodies().map((body) => send(`${address}/v1/reports`, body)));
    }
    return { devices: fleet.devices, truths: fleet.truths };
  } finally {
    await collector.close();
  }
}

const TRIES = 5;

/** Sends a batch as devices do: again where the connection fails, since its id is counted once. A connection that was idle for long may. */
async function send(url: string, body: string): Promise<void> {
  for (let left = TRIES; ; left--) {
    const response = await fetch(url, { method: 'POST', body }).catch((error: unknown) => {
      if (left === 1) throw error;
    });
    if (response?.status === 204) return;
    if (response) throw new Error(`a batch of the past: expected status 204, got ${response.status} ${await response.text()}`);
  }
}
