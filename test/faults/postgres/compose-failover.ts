/** The set-up of the compose file under load through its nginx: the primary is killed, and its standby takes its place as the page says. */

import { connect } from 'node:tls';
import { publish } from '#collector/schemas/catalog.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import { type Relay, startRelay } from '../../kit/relay.ts';
import { describe, document, wire } from '../cells.ts';
import { type Outcome, sleep } from '../outcome.ts';
import { beginRun, refusedTo } from './check.ts';
import { type Name, otherOf, withComposed } from './composed.ts';

/** nginx answers so while a collector, or both, do not. */
const OF_NGINX = [502, 504];

/** A port on which the load speaks plain HTTP, to a server that speaks TLS. */
const startTls = (port: number): Promise<Relay> =>
  startRelay(
    () => connect({ port, host: '127.0.0.1', rejectUnauthorized: false }),
    (from, to) => from.pipe(to),
  );

/** Kills the primary this many times: db1 first, then the one that has taken its place. */
export const composeFailovers = (times: number): Promise<Outcome> =>
  withComposed(async ({ port, url, kill, promote, lead, rebuild }) => {
    const tls = await startTls(port);
    try {
      const open = (postgres = url) => openPostgresStore({ postgres }, new Map([[wire, publish(document).metrics]]));
      const run = beginRun({ open, url }, url, OF_NGINX);
      const end = run.load([tls], 48);
      let primary: Name = 'db1';
      const away: number[] = [];
      for (let round = 0; round < times; round++) {
        if (round > 0) await rebuild(otherOf(primary));
        await run.acknowledged(500);
        await sleep(Math.random() * 500);
        await kill(primary);
        const began = performance.now();
        await sleep(Math.random() * 2_000); // somebody has to notice
        primary = otherOf(primary);
        promote(primary);
        lead(primary);
        await run.acknowledged(500);
        away.push((performance.now() - began) / 1_000);
      }
      await end();
      const verdict = await run.settle(tls);
      const longest = Math.max(...away).toFixed(1);
      return {
        fault: 'the compose file, its primary killed',
        tried: `${times} times, with its nginx, TLS, two collectors and a synchronous standby, 48 clients`,
        seen: `${describe(verdict)}; 500 more acknowledged within ${longest} s of each kill; ${refusedTo(run.devices)}`,
        failures: run.failures.list(),
      };
    } finally {
      await tls.close();
    }
  });
