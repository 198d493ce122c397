/** `npm start` in a process of its own: its address, what it printed, and an end to it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a program of the demo. */
export const demo = (file: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(new URL(`../../examples/demo/${file}`, import.meta.url)), ...args], { stdio: 'pipe' });

/** The demo, with its past. */
export interface StartedDemo {
  readonly address: string;
  readonly out: () => string;
  readonly error: () => string;
  /** Ends it as Ctrl-C does, and resolves to its exit code and its signal. */
  readonly stop: () => Promise<unknown>;
  /** Ends it at once, if it still runs. */
  readonly kill: () => void;
}

export async function startDemo(...args: string[]): Promise<StartedDemo> {
  const child = demo('start.ts', '--port', '0', ...args);
  process.once('exit', () => child.kill()); // also where a test gives up before it has begun
  let [out, error] = ['', ''];
  child.stderr?.on('data', (chunk) => {
    error += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += chunk;
      if (out.includes('Ctrl-C stops')) resolve();
    });
    child.once('exit', () => reject(new Error(`the demo ended: ${error}`)));
  });
  return {
    address: /http:\/\/\S+/.exec(out)?.[0] as string,
    out: () => out,
    error: () => error,
    stop: () => {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      return ended;
    },
    kill: () => void child.kill(),
  };
}
