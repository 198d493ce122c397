/**
 * Power loss. A collector under load is recorded: each write, sync and acknowledgement, in one order. Then the disk is rebuilt as a power
 * loss just before each sync may leave it.
 * A store opened on it must have everything that was acknowledged.
 */

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dayNumber } from '@murmuration/shared';
import { bodyOf, describe, isExact, judge, openStore } from './cells.ts';
import { chance } from './chance.ts';
import { Connection, report } from './connection.ts';
import { Disk, type Survival } from './disk.ts';
import { failuresOf, type Outcome } from './outcome.ts';
import { inMemory, type ServerOptions, serve, withFolder } from './server.ts';
import { eventsOf, underStrace } from './trace.ts';

const CLIENTS = 8;

/** The reason why the disk can't be recorded here; undefined when it can. */
export function noRecord(): string | undefined {
  const { status } = spawnSync('strace', ['-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=fsync', 'true']);
  return status === 0 ? undefined : 'strace may trace nothing here';
}

/** Sends batches from several clients, each one after the other. Returns the batches by local port, in order. */
async function send(port: number, batches: number, today: number): Promise<ReadonlyMap<number, readonly number[]>> {
  const sent = new Map<number, number[]>();
  let next = 0;
  const client = async (): Promise<void> => {
    const connection = new Connection(port);
    const mine: number[] = [];
    while (next < batches) {
      const n = next++;
      mine.push(n);
      const { status } = await connection.send(report(bodyOf(n, today)));
      if (status !== 204) throw new Error(`expected 204, got ${status}`);
    }
    sent.set(connection.socket.localPort as number, mine);
    connection.close();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return sent;
}

/** The result of a run of power losses. */
interface Losses {
  readonly syncs: number;
  readonly rebuilt: number;
  readonly lost: number;
  readonly failures: readonly string[];
}

/** A recorded run. */
interface Run {
  /** The collector's folder, and the record of its system calls. */
  readonly data: string;
  readonly record: string;
  readonly batches: number;
  readonly today: number;
  /** The batches sent from each local port, in order. */
  readonly sent: ReadonlyMap<number, readonly number[]>;
}

/** Records a collector under load. */
async function recorded(data: string, record: string, batches: number, options: ServerOptions): Promise<Run> {
  const today = dayNumber(Date.now());
  const server = await serve(data, { ...options, under: underStrace(record) });
  const sent = await send(server.port, batches, today);
  await server.stop('SIGTERM');
  return { data, record, batches, today, sent };
}

/** How many syncs and writes of a run are tested at most. */
interface Most {
  readonly syncs: number;
  readonly writes: number;
  /** Whether one loss is enough. A test opens a store, which takes a thread, so none is made before the first acknowledgement. */
  readonly isOneEnough?: boolean;
}

/** The strides between the syncs and writes that are tested, so that there are at most so many. */
async function strides(
  { record, data }: Run,
  most: Most,
): Promise<{ readonly syncs: number; readonly sync: number; readonly write: number }> {
  const total = { sync: 0, write: 0 };
  for await (const { kind } of eventsOf(record, data)) if (kind === 'sync' || kind === 'write') total[kind]++;
  return { syncs: total.sync, sync: Math.ceil(total.sync / most.syncs), write: Math.ceil(total.write / most.writes) };
}

/** Replays a run, and opens a store on the disk as it is at some of its syncs and writes. */
async function replay(run: Run, most: Most, location: string): Promise<Losses> {
  const [failures, disk, acknowledged, answers] = [failuresOf(), new Disk(), new Uint8Array(run.batches), new Map<number, number>()];
  const every = await strides(run, most);
  const seen = { sync: 0, write: 0 };
  const draw = chance(1);
  let [rebuilt, lost] = [0, 0];
  const check = async (moment: string, survival: Survival): Promise<void> => {
    if (most.isOneEnough && !acknowledged.includes(1)) return;
    disk.rebuild(location, survival);
    rebuilt++;
    try {
      const store = await openStore(location);
      const verdict = await judge(store, acknowledged, run.today);
      await store.close();
      lost += verdict.lost;
      if (!isExact(verdict)) failures.add(`${moment}: batches are not there exactly once`, `after sync ${seen.sync}: ${describe(verdict)}`);
    } catch (error) {
      failures.add(`${moment}: a store does not open`, `after sync ${seen.sync}: ${(error as Error).message}`);
    }
    rmSync(location, { recursive: true });
  };
  for await (const event of eventsOf(run.record, run.data)) {
    if (most.isOneEnough && lost > 0) return { syncs: every.syncs, rebuilt, lost, failures: failures.list() };
    if (event.kind === 'unknown') failures.add('a call that this test does not know', event.call);
    if (event.kind === 'answer' && event.text.startsWith('HTTP/1.1 204')) {
      const at = answers.get(event.port) ?? 0;
      answers.set(event.port, at + 1);
      acknowledged[run.sent.get(event.port)?.[at] as number] = 1;
    }
    if (event.kind === 'sync' && seen.sync++ % every.sync === 0) {
      await check('power lost, and nothing that was not synced survives', 'nothing');
      await check('power lost, and some sectors that were not synced survive', () => draw(2) === 0);
    }
    disk.apply(event);
    if (event.kind === 'write' && seen.write++ % every.write === 0) await check('killed', 'everything');
  }
  await check('power lost in the end', 'nothing');
  if (acknowledged.includes(0)) failures.add('the record lacks an acknowledgement');
  return { syncs: every.syncs, rebuilt, lost, failures: failures.list() };
}

/** Records a run, and simulates a power loss at some of its syncs, and a kill at some of its writes. */
const losePower = (batches: number, most: Most, options: ServerOptions = {}): Promise<Losses> =>
  withFolder((folder) =>
    withFolder(
      async (disks) => replay(await recorded(`${disks}/data`, `${folder}/record`, batches, options), most, `${disks}/rebuilt`),
      inMemory(),
    ),
  );

/** Syncs of the control at which power is lost: all of a short run, for few of its syncs come after an acknowledgement. */
const CONTROLS = 200;

/** The same as a row, with a control: a collector that does not sync its commits must fail the test, which a short run sees once. */
export async function powerLosses(batches: number, most: number, isShort = false): Promise<Outcome> {
  const full = await losePower(batches, { syncs: most, writes: most });
  const node = ['--import', fileURLToPath(new URL('./normal.ts', import.meta.url))];
  const normal = await losePower(batches, { syncs: CONTROLS, writes: 1, isOneEnough: isShort }, { node, env: { FAULT: 'unasserted' } });
  const refused = await withFolder((folder) =>
    serve(`${folder}/data`, { node }).then((server) => server.stop('SIGKILL').then(() => 'started'), String),
  );
  const blind = normal.lost > 0 ? [] : ['with synchronous=NORMAL nothing was lost: this test sees nothing'];
  const unasserted = /expected journal mode wal with synchronous 2/.test(refused)
    ? []
    : [`a collector with synchronous=NORMAL: ${refused}`];
  return {
    fault: 'power loss',
    tried: `${batches} batches, ${full.syncs} syncs; ${full.rebuilt} disks rebuilt`,
    seen: `${full.lost} lost; with synchronous=NORMAL ${normal.lost} in ${normal.rebuilt} disks of ${normal.syncs} syncs`,
    failures: [...full.failures, ...blind, ...unasserted],
  };
}
