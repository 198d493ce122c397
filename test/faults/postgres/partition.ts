/**
 * The network between one of two collectors and the database breaks, and heals: the link between two network namespaces is taken down, so
 * that packets are lost in both directions and nobody is told.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe } from '../cells.ts';
import { type Outcome, sleep } from '../outcome.ts';
import { beginRun, refusedTo } from './check.ts';
import { withCluster } from './cluster.ts';

const ip = (...args: readonly string[]) => spawnSync('ip', args, { encoding: 'utf8' });

/** The namespace, its link, and the addresses of both ends. */
const [SPACE, HERE, THERE] = [`murmur${process.pid}`, `mh${process.pid}`, `mt${process.pid}`];
const [ADDRESS_HERE, ADDRESS_THERE] = ['10.213.77.1', '10.213.77.2'];

/** Why no network namespace can be made here; undefined where one can. */
export function noNamespace(): string | undefined {
  const { status, error, stderr } = ip('netns', 'add', `${SPACE}try`);
  if (status === 0) ip('netns', 'delete', `${SPACE}try`);
  return status === 0 ? undefined : `expected to make a network namespace with ip, got: ${error?.message ?? stderr.trim()}`;
}

/** Forwards from a port of one namespace. Resolves to the port. */
async function forward(command: readonly string[], host: string, to: readonly [host: string, port: number], all: ChildProcess[]) {
  const file = fileURLToPath(new URL('forward.ts', import.meta.url));
  const [program = '', ...args] = [...command, process.execPath, file, host, '0', to[0], `${to[1]}`];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  all.push(child);
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(text.toString());
}

/** Runs work with a way to a port that leads through another namespace, and with what takes its link down and up. */
async function withLink<T>(
  port: number,
  work: (host: string, port: number, set: (state: 'up' | 'down') => void) => Promise<T>,
): Promise<T> {
  const children: ChildProcess[] = [];
  const run = (...args: readonly string[]): void => {
    const { status, stderr } = ip(...args);
    if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr.trim()}`);
  };
  try {
    run('netns', 'add', SPACE);
    run('link', 'add', HERE, 'type', 'veth', 'peer', 'name', THERE, 'netns', SPACE);
    run('address', 'add', `${ADDRESS_HERE}/30`, 'dev', HERE);
    run('-n', SPACE, 'address', 'add', `${ADDRESS_THERE}/30`, 'dev', THERE);
    run('link', 'set', HERE, 'up');
    run('-n', SPACE, 'link', 'set', THERE, 'up');
    const here = await forward([], ADDRESS_HERE, ['127.0.0.1', port], children);
    const there = await forward(['ip', 'netns', 'exec', SPACE], ADDRESS_THERE, [ADDRESS_HERE, here], children);
    return await work(ADDRESS_THERE, there, (state) => run('-n', SPACE, 'link', 'set', THERE, state));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    ip('netns', 'delete', SPACE); // and its link
  }
}

/** Takes the link of one of two collectors down, for so many seconds each time. The other goes on. */
export const partitions = (lengths: readonly number[]): Promise<Outcome> =>
  withCluster((cluster) =>
    withLink(cluster.port, async (host, port, set) => {
      const run = beginRun(cluster);
      const url = new URL(cluster.url);
      [url.hostname, url.port] = [host, `${port}`];
      const [apart, steady] = [await cluster.serve('apart', url.href), await cluster.serve('steady')];
      const end = run.load([apart, steady], 24);
      for (const seconds of lengths) {
        await run.acknowledged(200);
        set('down');
        await Promise.all([sleep(seconds * 1_000), run.acknowledged(200, seconds * 1_000)]); // the other collector goes on
        set('up');
        await run.acknowledged(200);
      }
      await end();
      const endOne = run.load([apart], 8);
      await run.acknowledged(50); // the collector that was apart takes batches again, and nobody had to start it
      await endOne();
      const verdict = await run.settle(apart);
      return {
        fault: 'the network between a collector and the database broken',
        tried: `for ${lengths.join(', ')} s, between network namespaces, one of two collectors, 48 clients`,
        seen: `${describe(verdict)}; ${refusedTo(run.devices)}`,
        failures: run.failures.list(),
      };
    }),
  );
