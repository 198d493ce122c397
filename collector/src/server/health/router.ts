/** `/livez`, `/readyz` and `/metrics`: whether the process runs, whether it can take batches now, and its numbers. */

import type { Router } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import type { Instruments } from './instruments.ts';

/** The routes, and which of them may be asked by anybody: probes have no tokens, and the answers say nothing about the data. */
export const HEALTH_ROUTES = [
  { path: '/livez', isOpen: true },
  { path: '/readyz', isOpen: true },
  { path: '/metrics', isOpen: false },
] as const;

/**
 * Reasons for which a collector can't take batches now, or must not be taken away: `spilled` says that it has acknowledged batches that are
 * not in the database yet.
 */
export type NotReady = 'disk-full' | 'spilled' | 'stopping' | 'store-away' | 'store-failed';

/** @param reasons returns why batches can't be taken now; empty when they can */
export function healthRouter(instruments: Instruments, reasons: () => readonly NotReady[]): Router {
  return exactRouter()
    .use((_request, response, next) => {
      response.setHeader('cache-control', 'no-store');
      next();
    })
    .get('/livez', (_request, response) => void response.json({ alive: true }))
    .get('/readyz', (_request, response) => {
      const found = reasons();
      response.status(found.length === 0 ? 200 : 503).json({ ready: found.length === 0, reasons: found });
    })
    .get('/metrics', async (_request, response) => {
      response.type(instruments.contentType).send(await instruments.text());
    });
}
