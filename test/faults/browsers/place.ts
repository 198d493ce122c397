/** A browser, what it keeps, and what it sends to: where the rounds of one fault take place. The pages are plain http, of no secure context. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Engine, Page } from '../../engines/engine.ts';
import { PLAIN_HOST } from '../../engines/firefox.ts';
import { failuresOf, type Outcome, until } from '../outcome.ts';
import { openPosts, type Posts } from './server.ts';

/** Milliseconds after which what has not come is missing, and not late. */
export const PATIENCE = 120_000;
/** Milliseconds by which the clock of a later visit is ahead: whatever waits may be sent then, by any tab. */
const LATER = 150_000;

export interface Place extends Posts {
  readonly engine: Engine['name'];
  readonly failures: ReturnType<typeof failuresOf>;
  /** Opens an app's page in a tab: `later`, at a time when all that waits may be sent. */
  readonly open: (app: string, later?: 'later') => Promise<Page>;
  /** The address of an app's page. */
  readonly pageOf: (app: string, later?: 'later') => string;
  /** Kills the browser, and starts it again over what it has kept. */
  readonly crash: () => Promise<void>;
  /** Resolves when the collector has counted so many reports of a metric, or notes that it has not. */
  readonly expectCounted: (app: string, reports: number, metric?: string) => Promise<void>;
  /** Notes what is not as it should be. */
  readonly expect: (what: string, got: unknown, expected: unknown) => void;
}

/** What an expression gives; rejects where the page does not answer. */
export async function ask<T>(page: Page, expression: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${expression}`)), PATIENCE);
  });
  try {
    return await Promise.race([page.evaluate<T>(expression), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How many rounds of a row take place at a time: a round waits more than it works. */
const LANES = 2;
/** The least rounds that a browser is started for. */
const LEAST = 10;

/** A round, by its number from 0: what it gives is summed up by its name. */
type Round = (place: Place, number: number) => Promise<string | readonly string[] | undefined>;

/** What all rounds of a row have in common. */
interface Row extends Engine {
  readonly fault: string;
  readonly rounds: number;
  readonly round: Round;
  readonly failures: Place['failures'];
  /** How often rounds gave what they give. */
  readonly seen: Map<string, number>;
  /** How many rounds have begun. */
  begun: number;
}

/** A browser and a server of their own, for one round after the other until all have begun. */
async function runLane(row: Row): Promise<void> {
  const { name, launch, fault, rounds, round, failures, seen } = row;
  const profile = await mkdtemp(join(tmpdir(), 'murmuration-fault-'));
  const posts = await openPosts();
  let browser: Browser = await launch(profile);
  const host = name === 'firefox' ? PLAIN_HOST : '[::ffff:127.0.0.1]';
  const address = posts.address.replace('127.0.0.1', host);
  const pageOf: Place['pageOf'] = (app, later) => `${address}/?app=${app}${later ? `&ahead=${LATER}` : ''}`;
  const expect: Place['expect'] = (what, got, expected) => {
    if (JSON.stringify(got) !== JSON.stringify(expected))
      failures.add(what, `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`);
  };
  try {
    const place: Place = {
      ...posts,
      engine: name,
      failures,
      pageOf,
      open: (app, later) => browser.open(pageOf(app, later)),
      crash: async () => {
        await browser.kill();
        browser = await launch(profile);
      },
      expect,
      expectCounted: async (app, reports, metric) => {
        await until(() => posts.counted(app, metric) >= reports, PATIENCE);
        expect(`reports of ${fault}`, posts.counted(app, metric), reports);
      },
    };
    while (row.begun < rounds) {
      const results = await round(place, row.begun++).catch((error: Error) => void failures.add('broke off', error.message));
      for (const result of [results ?? []].flat()) seen.set(result, (seen.get(result) ?? 0) + 1);
    }
    expect('batches whose bytes changed', posts.changed(), 0);
  } finally {
    await browser.close();
    await posts.close();
    await rm(profile, { recursive: true });
  }
}

/**
 * A row of the table: so many rounds of a fault in an engine. What a round can't go on after is a failure.
 *
 * @param lanes how many rounds take place at a time, each in a browser of its own
 */
export async function inBrowser(engine: Engine, fault: string, rounds: number, round: Round, lanes = LANES): Promise<Outcome> {
  const row: Row = { ...engine, fault, rounds, round, failures: failuresOf(), seen: new Map(), begun: 0 };
  // A short run, beside other tests, has one browser.
  const lane = Array.from({ length: Math.min(lanes, Math.ceil(rounds / LEAST)) }, () => runLane(row));
  await Promise.all(lane);
  return {
    fault: `${fault} (${engine.name})`,
    tried: `${rounds} rounds`,
    seen: [...row.seen].map(([result, count]) => `${count} ${result}`).join(', '),
    failures: row.failures.list(),
  };
}
