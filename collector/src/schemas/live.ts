/**
 * The schemas of a running collector: those of its files and those that were published by command, without those that were retired. They
 * change while it runs. Reads see a catalog with every schema; batches are taken for all but the retired ones.
 */

import type { SchemaDocument } from '@murmuration/shared';
import type { Logger } from 'pino';
import { Refusal } from '../base/refusal.ts';
import { type Catalog, createCatalog, type Published, parseDocument, publish, type Shapes, wireNameOf } from './catalog.ts';

/** Where published schemas come from. */
export interface SchemaSource {
  readonly published: readonly SchemaDocument[];
  /** Wire names. */
  readonly retired: ReadonlySet<string>;
}

/** A source whose schemas change while the collector runs. */
export interface ChangingSource extends SchemaSource {
  /** Calls back after each change. */
  readonly onSchemas: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}

/** The schemas in force. */
export class LiveSchemas {
  readonly #source: SchemaSource;
  #files: readonly SchemaDocument[];
  #catalog: Catalog;
  #retired: ReadonlySet<string>;
  #ready: ReadonlyMap<string, Published> = new Map();

  /** @throws {RangeError} when two schemas contradict each other */
  constructor(files: readonly SchemaDocument[], source: SchemaSource) {
    this.#files = files;
    this.#source = source;
    this.#catalog = this.#catalogOf(files);
    this.#retired = source.retired;
    this.#ready = this.#prepare(this.#catalog);
  }

  /** Every schema, retired ones included: what they reported stays readable. */
  get catalog(): Catalog {
    return this.#catalog;
  }

  get shapes(): Shapes {
    return shapesOf(this.#ready);
  }

  /** A schema that batches may be of. @throws {Refusal} 410 when it was retired, which tells devices to stop */
  get(wire: string): Published | undefined {
    if (this.#retired.has(wire)) throw new Refusal(410, 'retired', 'a schema that is still asked', wire.slice(0, 80), true);
    return this.#ready.get(wire);
  }

  /**
   * Takes up what has changed. On an error everything stays as it was.
   *
   * @param keep makes shapes known to the store, before batches of them come
   * @param files the schemas of files, if these have changed
   * @returns wire names of the schemas that batches may be of from now on
   * @throws {RangeError} when two schemas contradict each other
   */
  async update(keep: (shapes: Shapes) => Promise<void>, files: readonly SchemaDocument[] = this.#files): Promise<readonly string[]> {
    const { retired } = this.#source;
    const catalog = this.#catalogOf(files);
    const ready = this.#prepare(catalog);
    const fresh = new Map([...ready].filter(([wire]) => !this.#ready.has(wire)));
    if (fresh.size > 0) await keep(shapesOf(fresh));
    [this.#files, this.#catalog, this.#ready, this.#retired] = [files, catalog, ready, retired];
    return [...fresh.keys()].filter((wire) => !retired.has(wire));
  }

  /** Wire names of published schemas that were left out: a file had another schema of the same version when they were published. */
  get leftOut(): readonly string[] {
    return this.#source.published.map((document) => wireNameOf(document)).filter((wire) => !this.#catalog.schemas.has(wire));
  }

  /** The catalog of files and of what is published. A schema that is in force is not left out, so a file that contradicts it is refused. */
  #catalogOf(files: readonly SchemaDocument[]): Catalog {
    const named = new Map(files.map((document) => [`${document.app}/${document.version}`, wireNameOf(document)]));
    const fits = (document: SchemaDocument): boolean => {
      const wire = wireNameOf(document);
      return this.#ready.has(wire) || (named.get(`${document.app}/${document.version}`) ?? wire) === wire;
    };
    return createCatalog([...files, ...this.#source.published.filter(fits).map((document) => parseDocument(document))]);
  }

  /** Prepares schemas for parsing; what is prepared already is kept. */
  #prepare({ schemas }: Catalog): ReadonlyMap<string, Published> {
    return new Map([...schemas].map(([wire, document]) => [wire, this.#ready.get(wire) ?? publish(document)]));
  }
}

const shapesOf = (ready: ReadonlyMap<string, Published>): Shapes => new Map([...ready].map(([wire, { metrics }]) => [wire, metrics]));

/** The schemas at a start. @throws {RangeError} when two contradict each other, with the source closed */
export async function openSchemas(files: readonly SchemaDocument[], source: ChangingSource): Promise<LiveSchemas> {
  try {
    return new LiveSchemas(files, source);
  } catch (error) {
    await source.close();
    throw error;
  }
}

/**
 * Takes up what commands publish and retire, one change after the other. Returns the function that replaces the schemas of files.
 *
 * @param keep makes shapes known to the store, before batches of them come
 * @param onServed called with the wire names of schemas that were published meanwhile, once their batches are taken
 */
export function followSchemas(
  live: LiveSchemas,
  source: ChangingSource,
  keep: (shapes: Shapes) => Promise<void>,
  log: Logger,
  onServed: (schemas: readonly string[]) => void,
): (files: readonly SchemaDocument[]) => Promise<void> {
  const tell = (): void => {
    for (const schema of live.leftOut)
      log.error({ schema }, 'a published schema is left out, because a file of --schema has another one of its version');
  };
  tell();
  let last: Promise<unknown> = Promise.resolve();
  const update = (files?: readonly SchemaDocument[]): Promise<readonly string[]> => {
    const updated = last.then(() => live.update(keep, files));
    last = updated.catch(() => {});
    return updated;
  };
  source.onSchemas(() => {
    const taken = (served: readonly string[]): void => {
      tell();
      for (const schema of served) log.info({ schema }, 'a schema was published, and its batches are taken');
      onServed(served);
    };
    update().then(taken, (error: unknown) => log.error({ err: error }, 'what was published could not be taken up'));
  });
  return async (files) => void (await update(files));
}
