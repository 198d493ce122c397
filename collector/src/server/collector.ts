/** The collector: one Express app over a store and a catalog of schemas. */

import type { SchemaDocument } from '@murmuration/shared';
import type { Express, Router } from 'express';
import { createDecoding } from '../answers/decode-thread.ts';
import { createEstimating } from '../answers/estimates-thread.ts';
import { SharedDecodes } from '../answers/shared-decodes.ts';
import { keepViews } from '../answers/views/views.ts';
import { packageVersion } from '../base/package-version.ts';
import type { Refusal } from '../base/refusal.ts';
import { Capacity } from '../ingest/capacity.ts';
import { ClockWatch } from '../ingest/clock.ts';
import { createClosing } from '../ingest/closing.ts';
import { ingest } from '../ingest/route.ts';
import { SenderLimits } from '../ingest/sender-limits.ts';
import { UnfinishedBodies } from '../ingest/unfinished-bodies.ts';
import { createReleases } from '../release/service.ts';
import { followSchemas, openSchemas } from '../schemas/live.ts';
import type { Shapes } from '../schemas/published.ts';
import { Administration } from '../storage/admin/administration.ts';
import { warnWithoutKey } from '../storage/admin/without-key.ts';
import { lineOf } from '../storage/postgres/errors.ts';
import { prepare } from '../storage/postgres/opening.ts';
import { openPostgresStore } from '../storage/postgres/postgres.ts';
import { openReplica } from '../storage/postgres/replica.ts';
import { SpillLog } from '../storage/postgres/spill/spill-log.ts';
import { withSpill } from '../storage/postgres/spill/spilling.ts';
import { Telling } from '../storage/postgres/telling.ts';
import { appOf } from '../storage/room.ts';
import { openSqliteStore } from '../storage/sqlite/sqlite.ts';
import type { Commit, Store } from '../storage/store.ts';
import { createHealth } from './health/health.ts';
import { type AccessParts, visibleCatalog } from './http/access.ts';
import { exactRouter } from './http/exact-router.ts';
import { FailedSignIns } from './http/failed-sign-ins.ts';
import { metricsRouter } from './http/metrics.ts';
import { readsRouter } from './http/reads.ts';
import { releaseRouter } from './http/release.ts';
import { addRoutes, createApp, type RouteParts } from './http/routes.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { Sessions } from './http/sessions.ts';
import { type CollectorOptions, type Settings, settingsOf } from './options.ts';

/** A running collector. */
export interface Collector {
  readonly app: Express;
  /** The same routes, to be mounted in another app, before any parser of bodies: `app.use('/telemetry', collector.router)`. */
  readonly router: Router;
  readonly store: Store;
  /** Keys, tokens and the log of actions. A program calls `admin.announceFirst` once, and shows its person the token. */
  readonly admin: Administration;
  /** Starts listening and resolves to the address. Port 0 picks a free port. */
  readonly listen: (port: number, host: string) => Promise<string>;
  /** The same for reads, if they are apart. */
  readonly listenForReads: (port: number, host: string) => Promise<string>;
  /**
   * Replaces the schemas that the collector was opened with. Those that were published by command stay.
   *
   * @throws {RangeError} when two schemas contradict each other; everything then stays as it was
   */
  readonly updateSchemas: (schemas: readonly SchemaDocument[]) => Promise<void>;
  /** Resolves when the store has failed for good. The collector must then be reopened. */
  readonly failed: Promise<Error>;
  /** Answers the requests that were accepted, then stops. */
  readonly close: () => Promise<void>;
}

/** Opens the administration: in the database that collectors share, or in the folder. */
async function openAdmin({ data, postgres, allowLoss, log }: Settings): Promise<Administration> {
  const place = postgres === undefined ? 'admin.sqlite' : 'keys, tokens and published schemas';
  const telling = new Telling((trouble) => log.error({ trouble }, `${place} could not be read`));
  const onTrouble = (error: unknown): void => telling.tell(lineOf(error), lineOf(error));
  if (postgres === undefined) return new Administration(data, onTrouble);
  await prepare({ postgres }, allowLoss);
  return new Administration(await openReplica({ postgres }, onTrouble), onTrouble);
}

/** Opens the store. Its commits close days, and are passed on. */
async function openStore(settings: Settings, shapes: Shapes, committed: (commit: Commit) => void): Promise<Store> {
  const { data, postgres, spill, mostSpill, allowLoss, now, log, room, retention } = settings;
  const onTrouble = (trouble: string): void => log.warn({ trouble }, 'the store tries again');
  const close = createClosing({ now, expire: (day) => store.expire(day), onTrouble });
  const onCommit = (commit: Commit): void => {
    close(commit);
    committed(commit);
  };
  const options = { limits: room, retention, onTrouble, onCommit };
  const openPostgres = async (url: string): Promise<Store> => {
    const shared = { ...options, isLossAllowed: allowLoss, now };
    if (spill === undefined) return openPostgresStore({ postgres: url }, shapes, shared);
    const spillLog = new SpillLog(spill, mostSpill);
    try {
      return withSpill(await openPostgresStore({ postgres: url }, spillLog.publish(shapes), shared), spillLog, onTrouble);
    } catch (error) {
      spillLog.close();
      throw error;
    }
  };
  const store: Store = await (settings.openStore?.(shapes, onCommit) ??
    (postgres === undefined ? openSqliteStore(data, shapes, options) : openPostgres(postgres)));
  return store;
}

/** The function that listens, and resolves to the address. */
const listenOn =
  (server: HttpServer): Collector['listen'] =>
  async (port, host) => {
    const { address, port: taken, family } = await server.listen(port, host);
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
  };

/**
 * Opens the store and sets up the routes.
 *
 * @throws {Error} when the store can't be opened or two schemas contradict each other
 */
export async function createCollector(options: CollectorOptions): Promise<Collector> {
  const settings = settingsOf(options);
  const { minimum, truth, now, log, open: isOpen, readsApart, perMinute, timeouts } = settings;
  const admin = await openAdmin(settings);
  const live = await openSchemas(settings.schemas, admin);
  const store = await openStore(settings, live.shapes, (commit) => health.committed(commit)).catch(async (error: Error) => {
    await admin.close();
    throw error;
  });
  const capacity = new Capacity(settings);
  await capacity.look();
  const unfinished = new UnfinishedBodies(settings.mostArriving);
  const candidates = new Map(Object.entries(settings.candidates));
  const estimating = createEstimating({ store, candidates });
  const { postgres } = settings;
  const shared = postgres === undefined ? undefined : new SharedDecodes({ source: { postgres }, candidates, version: packageVersion() });
  const decoding = createDecoding({ store, totals: estimating.totals, candidates, shared });
  const endViews =
    settings.views && postgres !== undefined
      ? keepViews({
          ...{ source: { postgres }, catalogOf: () => live.catalog, totals: estimating.totals },
          ...{ estimating, decoding, minimum, candidates, log },
        })
      : undefined;
  const estimates = (): number => estimating.waiting() + decoding.waiting();
  const clock = new ClockWatch({ log, onSkew: (days) => health.skewed(days) });
  const isClockDoubtful = (): boolean => clock.isDoubtful;
  const file = 'file' in store.source ? store.source.file : undefined;
  const health = createHealth({ capacity, unfinished, estimates, isClockDoubtful, store, file, log });
  const place = postgres === undefined ? `--data ${settings.data}` : '--postgres URL';
  const updateSchemas = followSchemas(live, admin, store.publish, log, (served) => {
    if (!isOpen) warnWithoutKey(admin, served.map(appOf), place, log);
  });

  const answered = (status: number, refusal?: Refusal): void => health.answered('reports', status, refusal);
  const limits = new SenderLimits(isOpen ? undefined : admin, perMinute);
  const { origins, perMetric } = settings;
  const takeReports = ingest({ schemas: live, store, capacity, unfinished, clock, answered, now, origins, limits, perMetric });
  const catalogOf = visibleCatalog(() => live.catalog);
  const metrics = metricsRouter({ catalogOf, estimating, decoding, minimum, truth });
  const release = createReleases(store, settings);
  await release.tidy().catch((err: unknown) => log.warn({ err }, 'counts of ended streams could not be deleted'));
  const access: AccessParts = { ...settings.access, isOpen, admin, sessions: new Sessions(), failed: new FailedSignIns(), now };
  const reads = readsRouter(access, () => live.catalog, metrics, releaseRouter({ ...release, catalogOf }));
  const parts: RouteParts = { takeReports, reads, access, health, log };

  const app = createApp(parts, true, !readsApart);
  const serve = (served: Express): HttpServer =>
    createHttpServer(served, timeouts, (refusal) => health.answered('connection', refusal.status, refusal));
  const server = serve(app);
  const readServer = readsApart ? serve(createApp(parts, false, true)) : server;
  return {
    app,
    router: addRoutes(exactRouter(), parts, true, true),
    store,
    admin,
    updateSchemas,
    failed: store.failed,
    listen: listenOn(server),
    listenForReads: listenOn(readServer),
    close: async () => {
      health.stop();
      capacity.close();
      await Promise.all([server.close(), readServer.close(), endViews?.(), estimating.close(), decoding.close(), release.close()]);
      await shared?.close();
      await store.close();
      await admin.close();
    },
  };
}
