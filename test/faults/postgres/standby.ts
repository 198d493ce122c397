/** A standby of a server, for which each commit waits. */

import { rmSync } from 'node:fs';
import { copyServer, execute, freePort, untilReady } from '../../setup/postgres-server.ts';
import { until } from '../outcome.ts';
import { type Cluster, launch } from './cluster.ts';

/** Milliseconds until it has connected, and until it has ended. */
const PATIENCE = 30_000;

/**
 * Runs work with a synchronous standby, which is stopped and deleted afterwards. From then on the primary's commits wait for ever.
 *
 * @param from the port at which the standby finds its primary
 */
export async function withStandby<T>(cluster: Cluster, work: (port: number) => Promise<T>, from: number = cluster.port): Promise<T> {
  const [folder, port] = [copyServer(cluster.port), await freePort()];
  const standby = launch(folder, port, [`primary_conninfo=host=127.0.0.1 port=${from} user=murmuration`]);
  const isSynchronous = async (): Promise<boolean> =>
    (await execute(cluster.url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0;
  try {
    await untilReady(port, standby);
    await execute(cluster.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await execute(cluster.url, 'SELECT pg_reload_conf()');
    if (!(await until(isSynchronous, PATIENCE))) throw new Error('expected a standby that is synchronous');
    return await work(port);
  } finally {
    standby.kill('SIGQUIT');
    await until(() => standby.exitCode !== null || standby.signalCode !== null, PATIENCE);
    rmSync(folder, { recursive: true });
  }
}
