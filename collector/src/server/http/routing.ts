/** Conventions of every router: one spelling of each route, and the names that a request may call this machine by. */

import express, { type RequestHandler, Router } from 'express';
import ipaddr from 'ipaddr.js';
import { checkStructure } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';

/** A router whose routes have one spelling each. */
export const exactRouter = (): Router => Router({ caseSensitive: true, strict: true });

/** Bodies of the API are flatter, and have fewer parts: a release of a thousand measurements has some ten thousand. */
const [DEEPEST, MOST_PARTS] = [32, 50_000];

/** Parses a body of JSON of at most so many bytes. One that is compressed is refused with 415: 300 bytes of brotli would be 100 MB of work. */
export const jsonBody = (limit: number): RequestHandler =>
  express.json({ limit, inflate: false, verify: (_request, _response, body) => checkStructure(body, DEEPEST, MOST_PARTS) });

// The Host check. In DNS rebinding, a page of a stranger gives its own name the address of this machine, and then reads whatever answers
// there as its own. Its requests carry its own name as their Host. So names must be listed; addresses and loopback names can't be rebound.

/** True if a host is an address, or a name that always means this machine. */
function isFixed(host: string): boolean {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return host === 'localhost' || host.endsWith('.localhost') || ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare);
}

/** A host in lower case, without a port and the dot of a full name. */
const bareOf = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/**
 * Refuses requests whose Host is neither an address, nor a loopback name, nor listed. What a trusted proxy forwards must be, too; it can't
 * stand for the Host, because a page that was rebound to the proxy's machine sends such headers from there.
 */
export function checkHost(allowed: readonly string[]): RequestHandler {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  return ({ headers, hostname = '' }, _response, next) => {
    for (const host of [bareOf(headers.host ?? ''), bareOf(hostname)])
      if (!isFixed(host) && !names.has(host))
        throw new Refusal(421, 'bad-host', 'an address, localhost, or a name given as --allow-host', host.slice(0, 80));
    next();
  };
}
