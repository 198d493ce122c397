/** The files of docs/deploy, and programs of the system that run with them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { programPath } from '../setup/places.ts';

/** The text of a file of docs/deploy. */
export const deployed = (name: string): string => readFileSync(new URL(`../../docs/deploy/${name}`, import.meta.url), 'utf8');

/** The path of a program that `npm test` installs. */
export function program(name: string): string {
  const path = programPath(name);
  if (path === undefined) throw new Error(`expected ${name} to be installed; npm test installs it`);
  return path;
}

/** Replaces what a test must have otherwise. Each text must be there. */
export function replaced(text: string, ...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`expected ${JSON.stringify(from)} in the file`);
    return before.replaceAll(from, to);
  }, text);
}

/** A port that is free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A program that runs until it is stopped. */
export interface Running {
  readonly said: () => string;
  readonly stop: () => Promise<void>;
}

/** Starts a program. */
export function start(name: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Running {
  const child: ChildProcess = spawn(program(name), args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return {
    said: () => said,
    stop: async () => {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
