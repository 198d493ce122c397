/**
 * The collector's view of `admin.sqlite`: a snapshot in memory, so that no request waits for the disk. Commands change the file from other
 * processes; SQLite's `data_version` says that it has changed, and is looked at once a second. Where collectors share a database, the
 * replica of its tables takes the place of the file.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { SchemaDocument } from '@murmuration/shared';
import type { Logger } from 'pino';
import { StoreFull } from '../../base/fault.ts';
import { type Annotation, listAnnotations } from './annotations.ts';
import { type Credential, createFirstToken, hashOf, isSame, listCredentials, listRoles, type Role, type UserRole } from './credentials.ts';
import { type Action, isFull, listActions, openAdminDatabase, openOnFullDisk } from './database.ts';
import { listSchemas, type PublishedSchema, schemaTable } from './published.ts';
import { isLogged, loggedDocument, logSchemas, type SchemaLog, schemaLog } from './schema-log.ts';

/** Milliseconds between two looks. */
const EVERY = 1_000;

/** Milliseconds until trouble that goes on is told again. */
const TOLD_AGAIN = 600_000;

/** A replica of the administration that collectors share, in memory. It follows what others change without being asked. */
export interface SharedAdmin {
  readonly database: DatabaseSync;
  /** Another number whenever the rows have changed. */
  readonly version: number;
  /** Changes what is shared, and takes the change up. */
  readonly change: <T>(work: (replica: DatabaseSync) => T) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** A write key in force. */
export type WriteKey = Pick<Credential, 'name' | 'perMinute'> & { readonly key: string; readonly app: string };

/** An access token in force. */
interface Token extends Pick<Credential, 'name' | 'apps'> {
  readonly role: Role;
  readonly hash: Uint8Array;
}

/** The administration of a running collector. */
export class Administration {
  readonly #open: () => DatabaseSync;
  readonly #replica: SharedAdmin | undefined;
  /** Undefined while the disk is too full to open it. */
  #opened: DatabaseSync | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onTrouble: (error: unknown) => void;
  readonly #listeners: (() => void)[] = [];
  #toldAt = Number.NEGATIVE_INFINITY;
  #version = -1;
  /** The table of schemas, as it was read last. */
  #schemas = '';
  #keys: ReadonlyMap<string, WriteKey> = new Map();
  #tokens: readonly Token[] = [];
  #roles: ReadonlyMap<string, UserRole> = new Map();
  #listed: readonly PublishedSchema[] = [];
  #published: readonly SchemaDocument[] = [];
  #retired: ReadonlySet<string> = new Set();
  #annotations: readonly Annotation[] = [];
  #log: SchemaLog | undefined;

  /**
   * @param place the folder of the file, or a replica
   * @param onTrouble called when the file can't be read, at most once in ten minutes; the last snapshot then stays in force
   * @param open opens the file for writing; throws SQLite's error while the disk is full
   * @throws {RangeError} when the file is something else, or of a later version
   */
  constructor(
    place: string | SharedAdmin,
    onTrouble: (error: unknown) => void,
    open: (folder: string) => DatabaseSync = openAdminDatabase,
  ) {
    this.#open = () => (typeof place === 'string' ? open(place) : place.database);
    this.#replica = typeof place === 'string' ? undefined : place;
    this.#onTrouble = onTrouble;
    this.#opened = this.#openIfRoom();
    this.#read(this.#opened ?? (typeof place === 'string' ? openOnFullDisk(place) : undefined));
    this.#timer = setInterval(() => this.look(), EVERY).unref();
  }

  /** Reads the file or the replica again if another process has changed it. */
  look(): void {
    try {
      this.#opened ??= this.#openIfRoom();
      if (this.#opened === undefined) return;
      const version = this.#replica?.version ?? Number(this.#opened.prepare('PRAGMA data_version').get()?.['data_version']);
      if (version === this.#version) return;
      const before = this.#schemas;
      this.#read(this.#opened);
      this.#version = version;
      this.#toldAt = Number.NEGATIVE_INFINITY;
      if (this.#schemas !== before) for (const listener of this.#listeners) listener();
    } catch (error) {
      if (performance.now() - this.#toldAt < TOLD_AGAIN) return;
      this.#toldAt = performance.now();
      this.#onTrouble(error);
    }
  }

  /** Calls back after each change of what is published or retired. */
  onSchemas(listener: () => void): void {
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

  /** The role of a user whom the proxy names, if they were given one. */
  roleOf(user: string): UserRole | undefined {
    return this.#roles.get(user);
  }

  /** Creates an admin token and hands it over, if there has never been a token. Of collectors that share a database, one does. */
  async announceFirst(tell: (token: string) => void): Promise<void> {
    if (this.#opened === undefined) return; // the disk is full, and a later start does it
    const created = await this.change((database) => createFirstToken(database, 'first start'));
    if (created !== undefined) tell(created.secret);
  }

  /**
   * Changes the administration for a request, and takes the change up.
   *
   * @throws {StoreFull} when the disk is full
   */
  async change<T>(work: (database: DatabaseSync) => T): Promise<T> {
    try {
      const result = this.#replica === undefined ? work(this.#database) : await this.#replica.change(work);
      this.#read(this.#database);
      return result;
    } catch (error) {
      throw isFull(error) ? new StoreFull('database or disk is full') : error;
    }
  }

  /** Annotations of all apps, by day. */
  get annotations(): readonly Annotation[] {
    return this.#annotations;
  }

  /** Every schema that was published or retired by command. It is another list after each change. */
  get listed(): readonly PublishedSchema[] {
    return this.#listed;
  }

  /** The schemas that were published by command, retired ones included. */
  get published(): readonly SchemaDocument[] {
    return this.#published;
  }

  /** Wire names of the schemas that were retired. */
  get retired(): ReadonlySet<string> {
    return this.#retired;
  }

  /** Completes the log of schemas by these and by what was retired. Where it lacks nothing, nothing is written. @throws {StoreFull} as `change` */
  async logSchemas(documents: readonly SchemaDocument[]): Promise<void> {
    if (!isLogged(this.#database, documents)) await this.change((database) => logSchemas(database, documents));
  }

  /** The log of schemas; undefined before its first entry. It is another object after each change. */
  get schemaLog(): SchemaLog | undefined {
    return this.#log;
  }

  /** The canonical JSON of a document in the log, by its fingerprint. @throws {StoreFull} while the disk is too full to open it */
  loggedDocument(fingerprint: string): string | undefined {
    return loggedDocument(this.#database, fingerprint);
  }

  /** Every key and token, without secrets. */
  credentials(): readonly Credential[] {
    return listCredentials(this.#database);
  }

  /** The newest actions first, of these apps, or of all if there are none. */
  actions(most: number, before: number | undefined, apps: readonly string[]): readonly Action[] {
    return listActions(this.#database, most, before, apps);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#replica !== undefined) await this.#replica.close();
    else if (this.#opened?.isOpen) this.#opened.close();
  }

  get #database(): DatabaseSync {
    if (this.#opened === undefined) throw new StoreFull('database or disk is full');
    return this.#opened;
  }

  #openIfRoom(): DatabaseSync | undefined {
    try {
      return this.#open();
    } catch (error) {
      if (isFull(error)) return undefined;
      throw error;
    }
  }

  /** Takes a snapshot. On a full disk the database is opened only for that, and closed again. */
  #read(database: DatabaseSync | undefined): void {
    if (database === undefined) return;
    try {
      this.#take(database);
    } finally {
      if (database !== this.#opened) database.close();
    }
  }

  #take(database: DatabaseSync): void {
    const table = schemaTable(database);
    if (table !== this.#schemas) {
      this.#schemas = table;
      const schemas = listSchemas(database);
      this.#listed = schemas;
      this.#published = schemas.flatMap(({ document }) => document ?? []);
      this.#retired = new Set(schemas.filter(({ retired }) => retired !== undefined).map(({ schema }) => schema));
    }
    const inForce = listCredentials(database).filter(({ revoked }) => revoked === undefined);
    this.#keys = new Map(
      inForce.flatMap(({ name, key, apps: [app], perMinute }) =>
        key === undefined || app === undefined ? [] : [[key, { name, key, app, ...(perMinute !== undefined && { perMinute }) }]],
      ),
    );
    this.#annotations = listAnnotations(database);
    const log = schemaLog(database);
    if (log?.entries.length !== this.#log?.entries.length) this.#log = log;
    this.#roles = new Map(listRoles(database).map((each) => [each.name, each]));
    const hashes = new Map(
      database
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

// Says in the log which apps have no write key, so that their batches are refused.

/** @param place the option that names the store, as in `--data ./data` */
export function warnWithoutKey(
  { writableApps }: Pick<Administration, 'writableApps'>,
  apps: Iterable<string>,
  place: string,
  log: Pick<Logger, 'warn'>,
): void {
  for (const app of new Set(apps))
    if (!writableApps.has(app))
      log.warn(`no write key for ${app}, so its batches are refused: murmuration keys create --app ${app} ${place}`);
}
