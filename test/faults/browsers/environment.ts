/**
 * The environment of one fault's rounds: a browser, its profile, and the server that it sends to. The pages use plain http, without a
 * secure context.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Engine, Page } from '../../engines/engine.ts';
import { PLAIN_HOST } from '../../engines/firefox.ts';
import { failuresOf, type Outcome, until } from '../outcome.ts';
import { openPosts, type Posts } from './server.ts';

/** Milliseconds after which an expected event counts as missing rather than late. */
export const PATIENCE = 120_000;
/** Milliseconds by which the clock of a later visit is ahead. Everything queued may then be sent, by any tab. */
const AHEAD = { later: 150_000, 'a month later': 32 * 86_400_000 } as const;
type Later = keyof typeof AHEAD;

export interface Environment extends Posts {
  readonly engine: Engine['name'];
  readonly failures: ReturnType<typeof failuresOf>;
  /** Opens an app's page in a tab; `later`: at a time when everything queued may be sent; `a month later`: when slots have ended. */
  readonly open: (app: string, later?: Later) => Promise<Page>;
  /** The address of an app's page. */
  readonly pageOf: (app: string, later?: Later) => string;
  /** Kills the browser, and starts it again with the same profile. */
  readonly crash: () => Promise<void>;
  /** Resolves when the collector has counted this many reports of a metric; otherwise records a failure. */
  readonly expectCounted: (app: string, reports: number, metric?: string) => Promise<void>;
  /** Records a failure when the result differs from what is expected. */
  readonly expect: (what: string, got: unknown, expected: unknown) => void;
}

/** Evaluates an expression in a page. Rejects when the page does not respond. */
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

/** How many rounds of a row run at a time. A round mostly waits. */
const LANES = 2;
/** The least number of rounds that is worth another browser. */
const LEAST = 10;

/** A round, with its number from 0. Its results are counted by name. */
type Round = (environment: Environment, number: number) => Promise<string | readonly string[] | undefined>;

/** What all rounds of a row share. */
interface Row extends Engine {
  readonly fault: string;
  readonly rounds: number;
  readonly round: Round;
  readonly failures: Environment['failures'];
  /** How often each result occurred. */
  readonly seen: Map<string, number>;
  /** How many rounds have begun. */
  begun: number;
}

/** Ports of the servers so far. Rows may share a browser, and each has an origin of its own. */
const ports = new Set<string>();

async function openAnew(): Promise<Posts> {
  const posts = await openPosts();
  if (ports.has(posts.address)) {
    const other = openAnew();
    await posts.close();
    return other;
  }
  ports.add(posts.address);
  return posts;
}

/** Runs rounds one after the other in a browser and a server of their own, until all have begun. */
async function runLane(row: Row): Promise<void> {
  const { name, launch, fault, rounds, round, failures, seen } = row;
  const profile = await mkdtemp(join(tmpdir(), 'murmuration-fault-'));
  const posts = await openAnew();
  let browser: Browser = await launch(profile);
  const host = name === 'firefox' ? PLAIN_HOST : '[::ffff:127.0.0.1]';
  const address = posts.address.replace('127.0.0.1', host);
  const pageOf: Environment['pageOf'] = (app, later) => `${address}/?app=${app}${later ? `&ahead=${AHEAD[later]}` : ''}`;
  const expect: Environment['expect'] = (what, got, expected) => {
    if (JSON.stringify(got) !== JSON.stringify(expected))
      failures.add(what, `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`);
  };
  try {
    const environment: Environment = {
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
      const results = await round(environment, row.begun++).catch((error: Error) => void failures.add('broke off', error.message));
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
 * One row of the table: this many rounds of a fault in an engine. An exception in a round is a failure.
 *
 * @param lanes how many rounds run at a time, each in a browser of its own
 */
export async function inBrowser(engine: Engine, fault: string, rounds: number, round: Round, lanes = LANES): Promise<Outcome> {
  const row: Row = { ...engine, fault, rounds, round, failures: failuresOf(), seen: new Map(), begun: 0 };
  // A short run uses one browser, because other tests run at the same time.
  const lane = Array.from({ length: Math.min(lanes, Math.ceil(rounds / LEAST)) }, () => runLane(row));
  await Promise.all(lane);
  return {
    fault: `${fault} (${engine.name})`,
    tried: `${rounds} rounds`,
    seen: [...row.seen].map(([result, count]) => `${count} ${result}`).join(', '),
    failures: row.failures.list(),
  };
}
