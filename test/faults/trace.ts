/** A process's disk system calls and its responses on sockets, in one order, recorded by strace. */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Runs a program under strace. With -D, the spawned process is the program itself, so that signals reach it. */
export const underStrace = (file: string): readonly string[] => [
  ...['strace', '-D', '-f', '-yy', '-xx', '-s', '4194304', '--seccomp-bpf', '-o', file],
  ...['-e', 'trace=openat,pwrite64,write,writev,ftruncate,fsync,fdatasync,unlink,rename'],
];

/** A recorded event. Paths are absolute; `port` is the other end of the socket. */
export type Event =
  | { readonly kind: 'create' | 'sync' | 'remove'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly length: number }
  | { readonly kind: 'answer'; readonly port: number; readonly text: string }
  /** A system call on the folder that is not understood here. A record with one must not be trusted. */
  | { readonly kind: 'unknown'; readonly call: string };

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');
const textOf = (hex: string): string => bytesOf(hex).toString('utf8');

/** The path or the socket in a call's first argument. */
const TARGET = /^\w+\((?:AT_FDCWD|\d+)<((?:->|[^>])*)>/;
const PEER = /->.*:(\d+)\]$/;

function answerOf(call: string, target: string): Event | undefined {
  const port = PEER.exec(target)?.[1];
  const parts = [...call.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => textOf(hex));
  return port === undefined ? undefined : { kind: 'answer', port: Number(port), text: parts.join('') };
}

function eventOf(call: string, result: number, folder: string): Event | undefined {
  const [, target = ''] = TARGET.exec(call) ?? [];
  const name = call.slice(0, call.indexOf('('));
  if (result < 0) return undefined;
  if (target.startsWith('TCP')) return name.startsWith('write') ? answerOf(call, target) : undefined;
  const strings = [...call.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => hex);
  const path = name === 'openat' || name === 'unlink' || name === 'rename' ? textOf(strings[0] ?? '') : textOf(target);
  if (path !== folder && !path.startsWith(`${folder}/`)) return undefined;
  const numbers = (call.slice(call.lastIndexOf('"') + 1).match(/\d+/g) ?? []).map(Number);
  if (name === 'openat') return call.includes('O_CREAT') ? { kind: 'create', path } : undefined;
  if (name === 'unlink') return { kind: 'remove', path };
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'sync', path };
  if (name === 'ftruncate') return { kind: 'truncate', path, length: Number(/, (\d+)\)?$/.exec(call)?.[1]) };
  if (name === 'pwrite64') return { kind: 'write', path, at: numbers[1] as number, bytes: bytesOf(strings[0] ?? '').subarray(0, result) };
  return { kind: 'unknown', call: call.slice(0, 80) };
}

/** The events of a record, in order. A call that took time is placed where it ended, but a response where it began. */
export async function* eventsOf(file: string, folder: string): AsyncGenerator<Event> {
  const unfinished = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/s.exec(line) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      const begun = rest.slice(0, -'<unfinished ...>'.length).trimEnd();
      const [, target = ''] = TARGET.exec(begun) ?? [];
      if (target.startsWith('TCP')) yield* [eventOf(begun, 0, folder)].filter((event) => event !== undefined);
      else unfinished.set(thread, begun);
      continue;
    }
    let call = rest;
    if (rest.startsWith('<... ')) {
      const begun = unfinished.get(thread);
      unfinished.delete(thread);
      if (begun === undefined) continue;
      call = `${begun}${rest.slice(rest.indexOf('resumed>') + 'resumed>'.length)}`;
    }
    const end = call.lastIndexOf(' = ');
    if (end < 0) continue;
    const event = eventOf(call.slice(0, end).trimEnd(), Number.parseInt(call.slice(end + 3), 10), folder);
    if (event !== undefined) yield event;
  }
}
