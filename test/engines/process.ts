/** A browser as a tree of processes: started in a session of its own, and ended with all that it started. */

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export type Started = ChildProcessByStdio<Writable, Readable, Readable>;

/** Milliseconds that a browser may take to end on its own. */
const PATIENCE = 20_000;

/** The environment variable by which a process is known whose parents are gone, and that has left their session. */
const MARK = 'MURMURATION_BROWSER';

/** What has been started and not ended, with its mark. */
const started = new Map<ChildProcess, string>();
function killAll(): void {
  for (const child of started.keys()) killNow(child);
}
// A session of its own hears nothing of an interrupt, nor does it end with us.
process.once('exit', killAll);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    killAll();
    process.kill(process.pid, name);
  });
}

/** Starts a program whose home, caches and temporary files are in a folder. */
export function start(path: string, args: readonly string[], home: string, environment: { readonly [name: string]: string } = {}): Started {
  const mark = `${MARK}=${randomUUID()}`;
  const child = spawn(path, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HOME: home,
      TMPDIR: home,
      XDG_CACHE_HOME: `${home}/.cache`,
      XDG_CONFIG_HOME: `${home}/.config`,
      XDG_DATA_HOME: `${home}/.local/share`,
      XDG_RUNTIME_DIR: home,
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      [MARK]: mark.slice(MARK.length + 1),
      ...environment,
    },
  });
  child.stdin.on('error', () => {}); // what was written to a process that had ended
  started.set(child, mark);
  return child;
}

/** The first line of the stream that matches; the rest is read and dropped. Rejects with what was printed when the program ends before. */
export function lineOf(stream: Readable, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const printed: string[] = [];
    const lines = createInterface(stream);
    lines.on('line', (line) => {
      const match = pattern.exec(line);
      if (match !== null) resolve(match);
      if (printed.length < 100) printed.push(line);
    });
    lines.on('close', () => reject(new Error(`expected a line like ${pattern}, got:\n${printed.join('\n')}`)));
  });
}

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return ''; // it ended meanwhile, or is another person's
  }
};

/** The processes, dead ones left out, that a program has started: those in its session, their children, and those with its mark. */
function treeOf(child: ChildProcess): readonly number[] {
  const mark = started.get(child);
  if (child.pid === undefined || mark === undefined || process.platform !== 'linux') return [];
  const tree = new Set([child.pid]);
  const all = readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? read(name, 'stat') : '';
    const [state, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === '' || state === 'Z' || state === 'X') return [];
    const isMarked = Number(session) === child.pid || read(name, 'environ').includes(mark);
    return [{ pid: Number(name), parent: Number(parent), isMarked }];
  });
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parent, isMarked } of all) if (isMarked || tree.has(parent)) tree.add(pid);
  }
  return all.map(({ pid }) => pid).filter((pid) => tree.has(pid));
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function killNow(child: ChildProcess): void {
  const tree = treeOf(child);
  if (child.pid !== undefined) signal(-child.pid); // all of the group, on systems without /proc too
  tree.forEach(signal);
}

const isOver = (child: ChildProcess): boolean =>
  child.pid === undefined || ((child.exitCode !== null || child.signalCode !== null) && treeOf(child).length === 0);

/** Ends the program and all that it started by SIGKILL. Resolves when none of them is left. */
export async function kill(child: ChildProcess): Promise<void> {
  for (; !isOver(child); await sleep(10)) killNow(child);
  started.delete(child);
}

/** Resolves when the program, which was asked to, and all that it started have ended; what does not end in time is killed. */
export async function ended(child: ChildProcess): Promise<void> {
  for (const end = performance.now() + PATIENCE; !isOver(child) && performance.now() < end; ) await sleep(10);
  await kill(child);
}
