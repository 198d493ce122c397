/** An issuer of tokens as an app's own server has it: the account of a request is a header's. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TokenIssuerOptions, tokenIssuer } from '@murmuration/collector/tokens';
import express from 'express';
import { tokenPair } from '#collector/ingest/tokens.ts';

/** A secret, and the public key that apps have built in. */
export const SECRET = Buffer.alloc(32, 9).toString('base64url');
export const KEY = Buffer.from(tokenPair(SECRET).publicKey).toString('base64url');

export interface RunningIssuer {
  readonly address: string;
  /** The folder of its file. */
  readonly data: string;
  /** The bodies that came, with their account. */
  readonly asked: { readonly account: string; readonly body: string }[];
  /** Closes the issuer and opens it again on its file. */
  readonly restart: () => void;
  readonly close: () => void;
}

/** Starts an issuer for schemas. */
export async function startIssuer(
  options: Pick<TokenIssuerOptions, 'schemas' | 'now'> & Partial<Pick<TokenIssuerOptions, 'accountOf'>>,
): Promise<RunningIssuer> {
  const data = mkdtempSync(join(tmpdir(), 'murmuration-tokens-'));
  const accountOf: TokenIssuerOptions['accountOf'] = (request) => request.get('account');
  const open = () => tokenIssuer({ accountOf, ...options, secret: SECRET, data });
  const asked: RunningIssuer['asked'] = [];
  let issuer = open();
  const app = express();
  app.post('/tokens', express.json(), (request, response, next) => {
    asked.push({ account: request.get('account') ?? '', body: JSON.stringify(request.body) });
    issuer.handler(request, response, next);
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tokens`,
    data,
    asked,
    restart: () => {
      issuer.close();
      issuer = open();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      issuer.close();
      rmSync(data, { recursive: true });
    },
  };
}
