/** A database whose disk fills up and is freed: its tables are on a small tmpfs, its log is not. */

import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from '../../setup/postgres-server.ts';
import { describe } from '../cells.ts';
import { fillDisk } from '../full.ts';
import { type Outcome, sleep, until } from '../outcome.ts';
import { beginRun, refusedTo } from './check.ts';
import { withCluster } from './cluster.ts';

const MEBIBYTES = 160;

/** Fills the disk of the tables for so many milliseconds. */
export const fullDatabase = (milliseconds: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const disk = mkdtempSync(join(tmpdir(), 'murmuration-tablespace-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m,mode=700`, 'tmpfs', disk]);
    if (mounted.status !== 0) throw new Error(`mount: ${mounted.stderr}`);
    try {
      const { uid, gid } = statSync(cluster.data);
      chownSync(disk, uid, gid);
      await execute(cluster.url, `CREATE TABLESPACE small LOCATION '${disk}'`);
      await execute(cluster.url, 'CREATE DATABASE small TABLESPACE small');
      const url = cluster.url.replace(/\w+$/, 'small');
      const run = beginRun(cluster, url);
      const servers = await Promise.all(['one', 'other'].map((name) => cluster.serve(name, url)));
      const end = run.load(servers, 16);
      await run.acknowledged(200);
      const free = fillDisk(disk);
      if (!(await until(() => run.devices.statuses.has(507), 60_000))) run.failures.add('nothing was refused with 507');
      await sleep(milliseconds);
      free();
      await run.acknowledged(200);
      await end();
      const [server] = servers as [(typeof servers)[number]];
      const verdict = await run.settle(server);
      await Promise.all(servers.map((each) => each.stop('SIGTERM')));
      await cluster.stop('SIGINT');
      return {
        fault: 'database full, then freed',
        tried: `its disk full for ${milliseconds / 1_000} s under two collectors, 32 clients`,
        seen: `${describe(verdict)}; ${refusedTo(run.devices)}`,
        failures: run.failures.list(),
      };
    } finally {
      await cluster.stop('SIGQUIT');
      spawnSync('umount', [disk]);
      rmdirSync(disk);
    }
  });
