/**
 * Checks that mixed load leaves no trace of people. Senders with a marker in their address, user agent and headers load a collector,
 * disconnect, and are refused.
 * Then every file of its folder and its whole log are searched for the markers and for any time more precise than a day, in text and in
 * each column of the database.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dayNumber } from '@murmuration/shared';
import { bodyOf, CAPACITY } from './cells.ts';
import { Connection, report } from './connection.ts';
import { Devices } from './load.ts';
import { failuresOf, type Outcome, sleep } from './outcome.ts';
import { serve, withFolder } from './server.ts';

const ADDRESS = '127.0.0.77'; // an address of this machine that nobody else uses
const MARKS = {
  'user-agent': 'a-rare-browser/7.7',
  cookie: 'id=a-cookie-77',
  referer: 'https://app.example/a-page-77',
  'x-forwarded-for': '203.0.113.77',
  forwarded: 'for=198.51.100.77',
};
const HEADER = Object.entries(MARKS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
const FORBIDDEN = [ADDRESS, ...Object.values(MARKS), 'a-rare-browser', 'a-cookie', 'a-page', '::ffff:'];

/** 2026-11-20T12, 12:34:56. */
const CLOCK = /\d{4}-\d\d-\d\dT\d\d|\b\d\d:\d\d:\d\d\b/;

/** Numbers in text that are times in a span, in seconds, milliseconds or microseconds since 1970. */
const momentsIn = (text: string, from: number, to: number): readonly string[] =>
  [...text.matchAll(/(?<![\da-f])\d{10,16}(?![\da-f])/g)].map(([digits]) => digits).filter((digits) => isMoment(Number(digits), from, to));

const isMoment = (value: number, from: number, to: number): boolean =>
  [1e-3, 1, 1e3].some((unit) => value >= Math.floor(from * unit) && value <= Math.ceil(to * unit));

/** Every number and every text of a database that reveals a time of day. */
function* timesIn(file: string, from: number, to: number): Generator<string> {
  const database = new DatabaseSync(file);
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())
    for (const row of database.prepare(`SELECT * FROM "${String(name)}"`).iterate())
      for (const [column, value] of Object.entries(row))
        if (typeof value === 'number' ? isMoment(value, from, to) : typeof value === 'string' && CLOCK.test(value))
          yield `${String(name)}.${column} = ${String(value)}`;
  database.close();
}

/** Mixed load for this many seconds, then the search. */
export const traces = (seconds: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const [failures, data, begun] = [failuresOf(), `${folder}/data`, Date.now()];
    const server = await serve(data);
    const devices = new Devices(dayNumber(begun), { header: HEADER, localAddress: ADDRESS });
    const end = performance.now() + seconds * 1_000;
    const running = (): boolean => performance.now() < end && devices.begun < CAPACITY - 5_000;
    const rude = async (): Promise<void> => {
      for (let i = 0; running(); i++) {
        const body = [bodyOf(CAPACITY - 1, devices.today).replace('"v":1', '"v":2'), 'no JSON', bodyOf(CAPACITY - 1, devices.today)][
          i % 3
        ] as string;
        const bytes = report(body, HEADER);
        const connection = new Connection(server.port, ADDRESS);
        const answer = connection.send(i % 3 === 2 ? bytes.subarray(0, bytes.length - 5) : bytes).catch(() => undefined);
        if (i % 3 === 2)
          await sleep(5); // and disconnects in the middle of a body
        else await answer;
        connection.close();
        await fetch(`http://127.0.0.1:${server.port}/v1/${i % 2 === 0 ? 'metrics' : 'nothing'}`, { headers: MARKS }).then((response) =>
          response.text(),
        );
      }
    };
    await Promise.all([devices.load(server.port, 8, running), rude()]);
    await devices.settle(server.port);
    await server.stop('SIGKILL'); // keeps the WAL, so that it is searched too
    const killed = readdirSync(data, { recursive: true }) as string[];
    const search = (files: readonly string[]): void => {
      for (const name of files) {
        const text = readFileSync(join(data, name), 'latin1');
        for (const mark of FORBIDDEN) if (text.includes(mark)) failures.add('a mark on the disk', `${mark} in ${name}`);
        // The log of actions says when an operator did something, such as creating the store. No sender writes to it.
        if (!name.startsWith('admin.sqlite') && CLOCK.test(text)) failures.add('a time on the disk', `${CLOCK.exec(text)?.[0]} in ${name}`);
      }
    };
    search(killed);
    const again = await serve(data);
    await again.stop('SIGTERM');
    search(readdirSync(data));
    const ended = Date.now();
    for (const time of timesIn(join(data, 'murmuration.sqlite'), begun, ended)) failures.add('a time in the database', time);
    const logs = server.logs() + again.logs();
    for (const mark of FORBIDDEN) if (logs.includes(mark)) failures.add('a mark in the logs', mark);
    for (const time of [...(CLOCK.exec(logs) ?? []), ...momentsIn(logs, begun, ended)]) failures.add('a time in the logs', time);
    return {
      fault: 'traces of people',
      tried: `${devices.acknowledgements} marked batches in ${seconds} s, rude senders beside; ${killed.length} files and ${logs.length} bytes of logs searched`,
      seen: failures.list().length === 0 ? 'no address, header or time finer than a day' : 'traces',
      failures: failures.list(),
    };
  });
