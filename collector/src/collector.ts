/** The collector: one Express app over a store and a catalog of schemas. */

import { join } from 'node:path';
import type { SchemaDocument } from '@murmuration/shared';
import express, { type ErrorRequestHandler, type Express, type IRouter, type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { type Logger, pino } from 'pino';
import { Administration } from './admin/administration.ts';
import { createDecoding } from './estimates/decode-thread.ts';
import type { Truth } from './estimates/estimates.ts';
import { createEstimating } from './estimates/estimates-thread.ts';
import { createHealth } from './health/health.ts';
import { HEALTH_ROUTES } from './health/router.ts';
import { type AccessOptions, type AccessParts, checkHostOfPages, requireReader, visibleCatalog } from './http/access.ts';
import { metricsRouter } from './http/metrics.ts';
import { readsRouter } from './http/reads.ts';
import { Refusal } from './http/refusal.ts';
import { refusalOf, refuseRead } from './http/refuse.ts';
import { createHttpServer, type HttpServer, TIMEOUTS, type Timeouts } from './http/server.ts';
import { Sessions } from './http/sessions.ts';
import { Capacity, freeBytes, LEAST_FREE, MOST_QUEUED } from './ingest/capacity.ts';
import { ClockWatch } from './ingest/clock.ts';
import { createClosing } from './ingest/closing.ts';
import { ingest } from './ingest/route.ts';
import { SenderLimits } from './ingest/sender-limits.ts';
import { MOST_ARRIVING, UnfinishedBodies } from './ingest/unfinished-bodies.ts';
import { followSchemas, openSchemas } from './schemas/live.ts';
import type { RoomLimits } from './store/room.ts';
import { openSqliteStore } from './store/sqlite.ts';
import type { RetentionOptions } from './store/sqlite-retention.ts';
import { DATABASE } from './store/sqlite-schema.ts';
import type { Commit, Shapes, Store } from './store/store.ts';

/** What a collector needs. */
export interface CollectorOptions {
  readonly schemas: readonly SchemaDocument[];
  /** The folder of the embedded store. */
  readonly data: string;
  /** The strings to estimate for text metrics, by metric name. */
  readonly candidates?: { readonly [metric: string]: readonly string[] };
  /** Estimates from fewer reports than this are not shown. Default: 20. */
  readonly minimum?: number;
  /** For demonstrations: the true shares, shown beside the estimates. */
  readonly truth?: Truth;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly log?: Logger;
  /**
   * Whether reads need no token and batches no write key. Default: false. For a collector that only this machine reaches, or whose routes
   * are guarded by the app that it is part of.
   */
  readonly open?: boolean;
  readonly access?: AccessOptions;
  /** Whether reads have a listener of their own (`listenForReads`), so that `listen` takes batches only. Default: false. */
  readonly readsApart?: boolean;
  /**
   * Origins of the pages that may report, as in the `Origin` header (`https://app.example`). Default: any. Requests without an `Origin`
   * header do not come from a page and are always accepted.
   */
  readonly origins?: readonly string[];
  /**
   * Reports that one source may send in a minute. Default: no limit. A source is the address of the connection, or the one that a trusted
   * proxy names (`access.trustProxy`); for IPv6, its first 64 bits. A refused batch counts as one report. The limit is checked before a batch, not within it, so a source can exceed it by at most one batch.
   */
  readonly perMinute?: number;
  /** Reports of one metric in one batch. An honest device sends one, which is the default. */
  readonly perMetric?: number;
  /**
   * Bytes that requests may hold while they wait for their commit. Beyond that, requests are asked to retry later. Each request counts as
   * its body plus 12,000 bytes. Default: 96 MiB, which is some 8,000 small batches.
   */
  readonly mostQueued?: number;
  /**
   * Bytes of request bodies that have arrived only in part. Beyond that, the request that has been sending longest is asked to retry later.
   * Default: 96 MiB.
   */
  readonly mostArriving?: number;
  /** Bytes of the disk that stay free. Default: 256 MiB. */
  readonly leastFree?: number;
  /** Rows and bytes that each app may have in the store, and ids in all. Batches beyond are asked to retry later. Default: `ROOM`. */
  readonly room?: Partial<RoomLimits>;
  /** For how many days tallies are kept as days, and at all. Default: `RETENTION`. */
  readonly retention?: Partial<RetentionOptions>;
  /** Returns the number of free bytes on the disk. */
  readonly free?: () => Promise<number>;
  readonly timeouts?: Timeouts;
  /** Opens another store than the embedded one. It calls `onCommit` after each commit; days are never closed otherwise. */
  readonly openStore?: (shapes: Shapes, onCommit: (commit: Commit) => void) => Promise<Store>;
}

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

/**
 * Opens the store and sets up the routes.
 *
 * @throws {Error} when the store can't be opened or two schemas contradict each other
 */
export async function createCollector(options: CollectorOptions): Promise<Collector> {
  const { schemas, data, candidates = {}, minimum = 20, truth, now = Date.now, log = pino({ level: 'silent' }) } = options;
  const admin = new Administration(data, (error) => log.error({ err: error }, 'admin.sqlite could not be read'));
  const live = openSchemas(schemas, admin);
  const onTrouble = (trouble: string): void => log.warn({ trouble }, 'the store tries again');
  const close = createClosing({ now, expire: (day) => store.expire(day), onTrouble });
  const onCommit = (commit: Commit): void => {
    close(commit);
    health.committed(commit);
  };
  const opening =
    options.openStore?.(live.shapes, onCommit) ??
    openSqliteStore(data, live.shapes, { limits: options.room ?? {}, retention: options.retention ?? {}, onTrouble, onCommit });
  const store: Store = await opening.catch((error: Error) => {
    admin.close();
    throw error;
  });
  const { mostQueued = MOST_QUEUED, mostArriving = MOST_ARRIVING, leastFree = LEAST_FREE, free = () => freeBytes(data) } = options;
  const { open: isOpen = false, access = {}, readsApart = false, origins, perMinute, perMetric = 1, timeouts = TIMEOUTS } = options;
  const capacity = new Capacity({ mostQueued, leastFree, free });
  await capacity.look();
  const unfinished = new UnfinishedBodies(mostArriving);
  const lists = new Map(Object.entries(candidates));
  const estimating = createEstimating({ store, candidates: lists });
  const decoding = createDecoding({ store, totals: estimating.totals, candidates: lists });
  const clock = new ClockWatch({ log, onSkew: (days) => health.skewed(days) });
  const file = join(data, DATABASE);
  const health = createHealth({
    capacity,
    unfinished,
    estimates: () => estimating.waiting() + decoding.waiting(),
    isClockDoubtful: () => clock.isDoubtful,
    store,
    file,
    log,
  });
  const updateSchemas = followSchemas(live, admin, store, log);

  const answered = (status: number, refusal?: Refusal): void => health.answered('reports', status, refusal);
  const limits = new SenderLimits(isOpen ? undefined : admin, perMinute);
  const takeReports = ingest({ schemas: live, store, capacity, unfinished, clock, answered, now, origins, limits, perMetric });
  const protect = helmet({ strictTransportSecurity: false, contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  const metrics = metricsRouter({ catalogOf: visibleCatalog(() => live.catalog), estimating, decoding, minimum, truth });
  const onError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    const refusal = refusalOf(error);
    if (refusal.status === 500) log.error({ err: error }, 'a request failed');
    if (response.headersSent) return next(error);
    response.locals['refusal'] = refusal;
    refuseRead(response, refusal);
  };
  const parts: AccessParts = { ...access, isOpen, admin, sessions: new Sessions(), now };
  const reads = readsRouter(parts, () => live.catalog, metrics);
  const closed = HEALTH_ROUTES.filter((each) => !each.isOpen).map(({ path }) => path);
  const absent: RequestHandler = ({ method, baseUrl, path }) => {
    throw new Refusal(404, 'not-found', 'a route of the collector', `${method} ${(baseUrl + path).slice(0, 80)}`);
  };
  // The routes are set up twice, because a router within an app costs a tenth of the speed of ingest.
  const route = <Target extends IRouter>(target: Target, takes: boolean, answers: boolean): Target => {
    if (takes) target.post('/v1/reports', takeReports);
    target.use(health.countReads, protect);
    target.use(closed, answers ? requireReader(parts) : absent, checkHostOfPages(parts.allowHosts));
    target.use(health.router);
    if (answers) target.use(reads);
    target.use(absent);
    target.use(onError);
    return target;
  };
  const createApp = (takes: boolean, answers: boolean): Express => {
    const made = express().disable('x-powered-by').disable('etag');
    return route(access.trustProxy === undefined ? made : made.set('trust proxy', access.trustProxy), takes, answers);
  };
  const app = createApp(true, !readsApart);
  const serve = (served: Express): HttpServer =>
    createHttpServer(served, timeouts, (refusal) => health.answered('connection', refusal.status, refusal));
  const server = serve(app);
  const readServer = readsApart ? serve(createApp(false, true)) : server;
  const listenOn =
    (each: HttpServer): Collector['listen'] =>
    async (port, host) => {
      const { address, port: taken, family } = await each.listen(port, host);
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
    };
  return {
    app,
    router: route(Router(), true, true),
    store,
    admin,
    updateSchemas,
    failed: store.failed,
    listen: listenOn(server),
    listenForReads: listenOn(readServer),
    close: async () => {
      health.stop();
      capacity.close();
      await Promise.all([server.close(), readServer.close(), estimating.close(), decoding.close()]);
      await store.close();
      admin.close();
    },
  };
}
