/** The demo as people run it: what it prints, what it exits with, and that it stops when told. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { schema } from '@murmuration/examples/demo/schema';
import { DAYS, POISONED, RELEASE, SILENT } from '@murmuration/examples/demo/story';
import { dayNumber, dayText } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

function demo(file: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(new URL(`../../examples/demo/${file}`, import.meta.url)), ...args], { stdio: 'pipe' });
}

async function run(...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
  const child = demo('run.ts', ...args);
  const [out, error, [code]] = await Promise.all([text(child.stdout as never), text(child.stderr as never), once(child, 'exit')]);
  return { code: code as number, out, error };
}

test('demo --json prints one document: every metric beside the truth, all of them consistent', async () => {
  const { code, out } = await run('--devices', '600', '--json');
  const { metrics, seconds, ...rest } = JSON.parse(out) as {
    readonly metrics: readonly { readonly [key: string]: unknown }[];
    readonly seconds: number;
  };
  expect(rest).toEqual({ devices: 600, reports: 7_800, consistent: true });
  expect(seconds).toBeGreaterThan(0);
  expect(code).toBe(0);
  const silent = SILENT.metric; // 2.0 no longer records it
  expect(new Set(metrics.map(({ metric }) => metric))).toEqual(new Set(Object.keys(schema.questions).filter((name) => name !== silent)));
  const keys = ['metric', 'mechanism', 'epsilon', 'answers', 'rmse', 'expectedRmse', 'z2', 'df', 'pValue', 'coverage95'];
  for (const metric of metrics) expect(Object.keys(metric).sort()).toEqual(keys.sort());
});

test.each([
  [['--devices', 'many'], '--devices: expected a whole number from 1 to 10000000, got "many"\n'],
  [['--speed', '3'], /^expected --devices N, --seed K, --json; got: [^\n]*'--speed'\n$/],
])('demo %j is bad usage: one line, exit 2', async (args, line) => {
  const { code, out, error } = await run(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toMatch(line);
});

/** The past has a fixed seed, so what is said of past days holds always or never. */
describe('start', () => {
  let child: ChildProcess;
  let [out, error, address] = ['', '', ''];
  const ask = async <T>(path: string): Promise<T> => (await fetch(`${address}/v1/${path}`)).json() as Promise<T>;
  /** A day of the story. It began when the past was made, which may have been before midnight. */
  const dayOf = (day: number): string => {
    const poisoned = /from=([\d-]+)/.exec(out)?.[1] as string;
    return dayText(dayNumber(Date.parse(poisoned)) - POISONED.day + day);
  };
  const links = (): readonly URL[] => [...out.matchAll(/^ +(http\S+)$/gm)].map(([, link]) => new URL(link as string));

  beforeAll(async () => {
    child = demo('start.ts', '--port', '0');
    child.stderr?.on('data', (chunk) => {
      error += chunk;
    });
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (chunk) => {
        out += chunk;
        if (out.includes('Ctrl-C stops')) resolve();
      });
    });
    address = /http:\/\/\S+/.exec(out)?.[0] as string;
  }, 120_000);
  afterAll(() => void child.kill());

  test('shows 60 past days, a fleet that reports today, and what is true of all', async () => {
    interface Estimates {
      readonly from: string;
      readonly to: string;
      readonly answers: readonly { readonly truth?: number }[];
    }
    await expect.poll(async () => (await ask<Estimates>('metrics/browser/estimates')).to >= dayOf(DAYS)).toBe(true);
    const { from, answers } = await ask<Estimates>('metrics/browser/estimates');
    expect(from).toBe(dayOf(0));
    expect(answers[0]?.truth).toBeGreaterThan(0.3);
  });

  test('the watch names the poisoned day, the wrong unit and the silent question, and nothing else', async () => {
    const { signs } = await ask<{ readonly signs: readonly { readonly [member: string]: unknown }[] }>('signs');
    const past = signs.filter(({ day }) => (day as string) < dayOf(DAYS)).map(({ metric, kind, day }) => `${metric} ${kind} ${day}`);
    const silent = Array.from({ length: DAYS - 1 - SILENT.day }, (_, i) => `parts silence ${dayOf(SILENT.day + i)}`);
    expect(past.sort()).toEqual([...silent, `runtime value ${dayOf(RELEASE)}`, `word law ${dayOf(POISONED.day)}`].sort());
  });

  test('the tour is of pages that are there, and its comparison finds that 2.0 raised dark mode', async () => {
    const [overview, release, poisoned] = links() as [URL, URL, URL];
    for (const link of links()) expect((await fetch(link)).status).toBe(200);
    expect([overview.pathname, poisoned.searchParams.get('from')]).toEqual(['/', expect.stringMatching(/^2/)]);
    interface Compared {
      readonly differences: readonly { readonly label: string; readonly isClear: boolean; readonly difference: { readonly low: number } }[];
    }
    const { differences } = await ask<Compared>(`${release.pathname.replace('/questions', 'metrics')}/compare${release.search}`);
    expect(differences).toEqual([expect.objectContaining({ label: 'true', isClear: true })]);
    expect(differences[0]?.difference.low).toBeGreaterThan(0);
  });

  test('stops on SIGINT with 0', async () => {
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(error).toBe('');
  });
});
