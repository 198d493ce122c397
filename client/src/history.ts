/**
 * @module The history of what a page has sent, for the person who uses the device. It contains what each delivered report says, which the
 * collector has too, and nothing of what was recorded. A refusal erases it. The core does not know about it: the history listens at the
 * transport and at the spill beside the storage, where a refusal is written at once.
 */

import type { Schema, Segments } from '@murmuration/shared';
import type { Spill, Storage } from './adapters/storage.ts';
import { fetchTransport, type Transport } from './adapters/transport.ts';
import { webStorage } from './adapters/web-storage.ts';
import { DENIED } from './ledger/decision.ts';
import { attempt } from './maybe.ts';
import type { DeviceQuestions } from './questions/question.ts';
import type { Options } from './types.ts';
import { saidBy } from './view.ts';

/** The most batches that are kept: the latest ones. */
const MOST_BATCHES = 50;
/** The most answers that are kept per report. */
const MOST_ANSWERS = 5;

/** A batch that the collector has accepted. */
export interface Sent {
  /** Its id, so that a batch that was sent twice is kept once. */
  readonly batch: string;
  /** The date that it was sent with, such as `2026-11-20`. */
  readonly day: string;
  /** Content of its reports: the first answers that each names (none if it is noise), and how many more it names. */
  readonly reports: readonly { readonly metric: string; readonly said: readonly string[]; readonly more: number }[];
}

/** Histories, by the schema object that an app passes. */
const histories = new WeakMap<object, () => readonly Sent[]>();

/** A batch being sent, as `bodyOf` writes it. */
interface Body {
  readonly batch: string;
  readonly schema: string;
  readonly day: string;
  readonly reports: readonly (readonly [metric: string, bytes: string])[];
}

/** Batches that a page has sent, latest first; undefined if no history is kept. */
export const historyOf = (schema: object): readonly Sent[] | undefined => histories.get(schema)?.();

/**
 * Adds to the options a history that the inspector shows. It is kept in `localStorage`: at most 50 batches, with their days and what their
 * randomized reports say. `deny()` and `forget()` erase it. Without `localStorage` no history is kept.
 *
 * @example const telemetry = createTelemetry(withHistory({ schema, endpoint: 'https://t.example.com' }));
 */
export function withHistory<const M extends DeviceQuestions, const S extends Segments>(options: Options<M, S>): Options<M, S> {
  const { schema, storage = webStorage(), transport = fetchTransport } = options;
  const { spill } = storage;
  if (!spill) return options;
  const name = `murmuration:${schema.document.app}`;
  const [key, consent] = [`${name}:sent`, `${name}:consent`];
  const read = <T>(item: string): T | undefined => attempt(() => JSON.parse(spill.getItem(item) ?? 'null') ?? undefined) as T | undefined;
  const erase = (): unknown => attempt(() => spill.removeItem(key));
  const isRefused = (): boolean => (Number(read<number>(consent)) & DENIED) > 0;

  const history = (): readonly Sent[] => {
    // The refusal may come from a tab that keeps no history.
    if (isRefused()) erase();
    const kept = read<readonly Sent[]>(key);
    return Array.isArray(kept) ? kept : [];
  };
  const remember = (text: string): void => {
    const { batch, schema: wire, day, reports } = JSON.parse(text) as Body;
    const known = history();
    if (wire !== schema.wire || known.some((sent) => sent.batch === batch)) return;
    if (isRefused()) return; // refused while the batch was being sent
    const told = reports.map(([metric, bytes]) => {
      const said = saidBy(schema as unknown as Schema<DeviceQuestions>, metric, bytes);
      return { metric, said: said.slice(0, MOST_ANSWERS), more: Math.max(0, said.length - MOST_ANSWERS) };
    });
    spill.setItem(key, JSON.stringify([{ batch, day, reports: told }, ...known].slice(0, MOST_BATCHES)));
  };

  const watched: Spill = {
    get length() {
      return spill.length;
    },
    key: (index) => spill.key(index),
    getItem: (item) => spill.getItem(item),
    removeItem: (item) => spill.removeItem(item),
    setItem: (item, value) => {
      spill.setItem(item, value);
      if (isRefused()) erase();
    },
  };
  const sending: Transport = async (upload) => {
    const delivery = await transport(upload);
    if (delivery.status === 204) attempt(() => remember(upload.body));
    return delivery;
  };
  const { suspend, watch } = storage;
  const storing: Storage = {
    transact: (item, update) => storage.transact(item, update),
    spill: watched,
    ...(storage.agreed && { agreed: storage.agreed.bind(storage) }),
    ...(suspend && { suspend: () => suspend.call(storage) }),
    ...(watch && { watch: (item, changed) => watch.call(storage, item, changed) }),
  };
  histories.set(schema, history);
  return { ...options, storage: storing, transport: sending };
}
