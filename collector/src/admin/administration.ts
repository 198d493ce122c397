/**
 * The collector's view of `admin.sqlite`: a snapshot in memory, so that no request waits for the disk. Commands change the file from other
 * processes; SQLite's `data_version` says that it has changed, and is looked at once a second.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { SchemaDocument } from '@murmuration/shared';
import { type Action, listActions } from './actions.ts';
import { type Credential, createFirstToken, listCredentials, type Role } from './credentials.ts';
import { openAdminDatabase } from './database.ts';
import { listSchemas } from './published.ts';
import { hashOf, isSame } from './secrets.ts';

/** Milliseconds between two looks. */
const EVERY = 1_000;

/** A write key in force. */
export type WriteKey = Pick<Credential, 'name' | 'perMinute'> & { readonly key: string; readonly app: string };

/** An access token in force. */
interface Token extends Pick<Credential, 'name' | 'apps'> {
  readonly role: Role;
  readonly hash: Uint8Array;
}

/** The administration of a running collector. */
export class Administration {
  readonly #database: DatabaseSync;
  readonly #timer: NodeJS.Timeout;
  readonly #onTrouble: (error: unknown) => void;
  readonly #listeners: (() => void)[] = [];
  #version = -1;
  #keys: ReadonlyMap<string, WriteKey> = new Map();
  #tokens: readonly Token[] = [];
  #published: readonly SchemaDocument[] = [];
  #retired: ReadonlySet<string> = new Set();

  /**
   * @param onTrouble called when the file can't be read; the last snapshot then stays in force
   * @throws {RangeError} when the file is something else, or of a later version
   */
  constructor(folder: string, onTrouble: (error: unknown) => void) {
    this.#database = openAdminDatabase(folder);
    this.#onTrouble = onTrouble;
    this.#read();
    this.#timer = setInterval(() => this.look(), EVERY).unref();
  }

  /** Reads the file again if another process has changed it. */
  look(): void {
    try {
      const version = Number(this.#database.prepare('PRAGMA data_version').get()?.['data_version']);
      if (version === this.#version) return;
      this.#read();
      this.#version = version;
      for (const listener of this.#listeners) listener();
    } catch (error) {
      this.#onTrouble(error);
    }
  }

  /** Calls back after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The write key with this text, unless it is revoked. */
  writeKey(key: string): WriteKey | undefined {
    return this.#keys.get(key);
  }

  /** The apps that have a write key in force. */
  get writableApps(): ReadonlySet<string> {
    return new Set([...this.#keys.values()].map(({ app }) => app));
  }

  /** The token with this secret, unless it is revoked. Compares with every token, so that the time says nothing about any of them. */
  token(secret: string): Token | undefined {
    const hash = hashOf(secret);
    return this.#tokens.filter((token) => isSame(token.hash, hash))[0];
  }

  /** The token with this name, unless it is revoked. */
  tokenNamed(name: string): Token | undefined {
    return this.#tokens.find((token) => token.name === name);
  }

  /** Creates an admin token and hands it over, if there has never been a token. */
  announceFirst(tell: (token: string) => void): void {
    const created = createFirstToken(this.#database, 'first start');
    this.#read();
    if (created !== undefined) tell(created.secret);
  }

  /** The schemas that were published by command, retired ones included. */
  get published(): readonly SchemaDocument[] {
    return this.#published;
  }

  /** Wire names of the schemas that were retired. */
  get retired(): ReadonlySet<string> {
    return this.#retired;
  }

  /** Every key and token, without secrets. */
  credentials(): readonly Credential[] {
    return listCredentials(this.#database);
  }

  /** The newest actions first, of these apps, or of all if there are none. */
  actions(most: number, before: number | undefined, apps: readonly string[]): readonly Action[] {
    return listActions(this.#database, most, before, apps);
  }

  close(): void {
    clearInterval(this.#timer);
    if (this.#database.isOpen) this.#database.close();
  }

  #read(): void {
    const schemas = listSchemas(this.#database);
    this.#published = schemas.flatMap(({ document }) => document ?? []);
    this.#retired = new Set(schemas.filter(({ retired }) => retired !== undefined).map(({ schema }) => schema));
    const inForce = listCredentials(this.#database).filter(({ revoked }) => revoked === undefined);
    this.#keys = new Map(
      inForce.flatMap(({ name, key, apps: [app], perMinute }) =>
        key === undefined || app === undefined ? [] : [[key, { name, key, app, ...(perMinute !== undefined && { perMinute }) }]],
      ),
    );
    const hashes = new Map(
      this.#database
        .prepare('SELECT name, hash FROM credential WHERE hash IS NOT NULL')
        .all()
        .map(({ name, hash }) => [name as string, hash as Uint8Array]),
    );
    this.#tokens = inForce.flatMap(({ name, role, apps }) => {
      const hash = hashes.get(name);
      return role === 'writer' || hash === undefined ? [] : [{ name, role, apps, hash }];
    });
  }
}
