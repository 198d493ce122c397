/** The demo as people run it: what it prints, what it exits with, and that it stops when told. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

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
  expect(rest).toEqual({ devices: 600, reports: 4_200, consistent: true });
  expect(seconds).toBeGreaterThan(0);
  expect(code).toBe(0);
  expect(metrics.map(({ metric }) => metric)).toEqual(['browser', 'film', 'rain', 'cylinders', 'word', 'airport', 'make']);
  const keys = ['metric', 'mechanism', 'epsilon', 'answers', 'rmse', 'expectedRmse', 'z2', 'df', 'pValue', 'coverage95'];
  for (const metric of metrics) expect(Object.keys(metric).sort()).toEqual(keys.sort());
});

test.each([
  [['--devices', 'many'], '--devices: expected a whole number from 1 to 10000000, got "many"\n'],
  [['--devices', '0'], '--devices: expected a whole number from 1 to 10000000, got "0"\n'],
  [['--seed', '-1'], /^[^\n]*--seed[^\n]*\n$/],
  [['--speed', '3'], /^expected --devices N, --seed K, --json; got: [^\n]*'--speed'\n$/],
])('demo %j is bad usage: one line, exit 2', async (args, line) => {
  const { code, out, error } = await run(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toMatch(line);
});

test('start says where it is, shows the fleet and the truth, and stops on SIGINT with 0', async () => {
  const child = demo('start.ts', '--port', '0');
  let [out, error] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    error += chunk;
  });
  await expect.poll(() => out).toMatch(/Ctrl-C stops/);
  const address = /http:\/\/\S+/.exec(out)?.[0] as string;
  const ask = async (): Promise<{ readonly reports: number; readonly answers: readonly { readonly truth?: number }[] }> =>
    (await fetch(`${address}/v1/metrics/browser/estimates`)).json() as never;
  await expect.poll(async () => (await ask()).reports).toBeGreaterThan(500);
  expect((await ask()).answers[0]?.truth).toBeGreaterThan(0.3);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(error).toBe('');
});
