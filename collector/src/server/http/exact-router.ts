/**
 * Routes under one spelling only. Express also takes other cases and a trailing slash, which rules of a proxy in front would miss: a limit
 * for `/v1/reports`, or a refusal of `/metrics`. All routers and the app must agree, or a guard could be passed by a spelling.
 */

import { Router } from 'express';

/** A router whose routes have one spelling each. */
export const exactRouter = (): Router => Router({ caseSensitive: true, strict: true });
