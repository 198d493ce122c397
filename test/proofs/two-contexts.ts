/**
 * Every interleaving of two contexts of one device, as a graph of worlds: what is stored, what is spilled, how far each context has come,
 * and what has been sent. The steps are the shipped functions; a context may crash at each of them, and a step of the storage may be
 * written though nobody hears of it.
 */

import { fromBase64url, parseDay, type SchemaDocument, type Batch as WireBatch } from '@murmuration/shared';
import type { Spill } from '#client/adapters/storage.ts';
import type { Device } from '#client/device.ts';
import { epochs } from '#client/ledger/epochs.ts';
import type { Claim } from '#client/ledger/ledger.ts';
import type { QueuedBatch } from '#client/ledger/queued.ts';
import { emptyState, parseState, type State, stateText } from '#client/ledger/state.ts';
import { bodyOf, remove, seal } from '#client/outbox.ts';
import type { DeviceQuestions } from '#client/questions/question.ts';
import { randomize } from '#client/record.ts';
import { parts } from '#client/schema.ts';
import { advance, answer, type Entry, hasOtherwise, slotDays } from '#client/slots.ts';
import { createSpill } from '#client/spill.ts';

const MILLISECONDS = 86_400_000;
const START = 20_000;

/** A version of an app's schema, and the days on which it is used. */
export interface Plan {
  /** What each context runs: the same schema, or one an older version. */
  readonly versions: readonly [SchemaDocument, SchemaDocument];
  /** Four days, in the order in which the clock shows them. */
  readonly days: readonly number[];
  /** How often a context is opened in all. */
  readonly openings: number;
  /** Whether a day may end while a context is open. */
  readonly overnight: boolean;
}

/** How far a context has come since it was opened: each step may be its last. What it does in one tick is one step. */
type Step = 'closed' | 'opened' | 'recorded' | 'claimed' | 'sent';

interface Context {
  readonly step: Step;
  /** Which opening of the device's contexts this is, from 0: the context's name. */
  readonly opening: number;
  /** How many coins it has thrown, so that each symbol and id is another. */
  readonly thrown: number;
  readonly entries: readonly Entry[];
  readonly sealed: readonly QueuedBatch[];
}

export interface World {
  /** Which of the four days it is. */
  readonly visit: number;
  /** How often a context has been opened. */
  readonly openings: number;
  readonly stored?: string | undefined;
  /** What every context that opens sees in the spill. */
  readonly spill: { readonly [key: string]: string };
  /** What was taken out of the spill, and may be seen again after a crash. */
  readonly stale: { readonly [key: string]: string };
  readonly contexts: readonly [Context, Context];
  /** The body of each batch that was sent, by its id. */
  readonly sent: { readonly [batch: string]: string };
  /** What has gone wrong. */
  readonly wrong?: string;
}

const CLOSED: Context = { step: 'closed', opening: -1, thrown: 0, entries: [], sealed: [] };
export const BEGINNING: World = { visit: 0, openings: 0, spill: {}, stale: {}, contexts: [CLOSED, CLOSED], sent: {} };

/** A spill over plain members. */
function spillOver(items: Map<string, string>): Spill {
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => void items.set(key, text),
    removeItem: (key) => void items.delete(key),
  };
}
const spillOf = (items: Map<string, string>) => createSpill({ spill: spillOver(items) } as never, 'ledger');

/** The metric's symbol is a name of its own for each time that its value is randomized: two that are equal came from one draw. */
function questionsOf({ metrics }: SchemaDocument, draw: () => string): DeviceQuestions {
  const question = (mechanism: string): unknown => ({
    input: (value: unknown) => value,
    randomizers: { [mechanism]: () => new TextEncoder().encode(draw()) },
    respondStored: (_: unknown, symbol: string) => fromBase64url(symbol),
    epochs,
  });
  return Object.fromEntries(Object.entries(metrics).map(([name, { law }]) => [name, question(law.mechanism)])) as DeviceQuestions;
}

/** One context at work: its randomness counts, so that a world has one text. */
function work({ versions, days }: Plan, { visit }: World, which: 0 | 1, context: Context) {
  let { thrown } = context;
  const throwOne = (): string => `${context.opening}.${thrown++}`;
  const document = versions[which];
  const today = START + (days[visit] as number);
  const device: Device = {
    ...document,
    ...parts,
    questions: questionsOf(document, throwOne),
    wire: String(document.version),
    segment: undefined,
    fallback: 'ask',
    perDay: 8,
    flip: () => false,
    uniform: () => 0,
    newId: throwOne,
    now: () => today * MILLISECONDS,
    today: () => today,
    me: String(context.opening),
    said: [],
  };
  const rewind = (): void => {
    ({ thrown } = context);
  };
  return { device, thrown: () => thrown, rewind };
}

function parse(stored: string | undefined): State {
  const state = stored === undefined ? emptyState() : parseState(stored);
  if (!state) throw new Error('what is stored is not read again');
  return state;
}

/** What a transaction writes. */
function transact(stored: string | undefined, change: (state: State) => void): string {
  const state = parse(stored);
  change(state);
  return stateText(state);
}

/** What a context that opens may see in the spill: all of it, also what was taken out, or nothing. Each only once if they are equal. */
function spillsSeen({ spill, stale }: World): readonly World['spill'][] {
  const stales = Object.entries(stale).some(([key, text]) => spill[key] !== text) ? [{ ...spill, ...stale }] : [];
  return [spill, ...stales, ...(Object.keys(spill).length > 0 ? [{}] : [])];
}

/** What a context may do next, and what may become of it. */
function stepsOf(plan: Plan, world: World, which: 0 | 1): readonly World[] {
  const context = world.contexts[which];
  const opening = context.step === 'closed' ? world.openings : context.opening;
  const { device, thrown, rewind } = work(plan, world, which, { ...context, opening });
  const become = (next: Partial<Context>, rest: Partial<World> = {}): World => {
    const own = { ...context, opening, thrown: thrown(), ...next };
    return { ...world, contexts: which === 0 ? [own, world.contexts[1]] : [world.contexts[0], own], ...rest };
  };
  const crash = (rest: Partial<World> = {}): World => become(CLOSED, rest);
  const today = START + (plan.days[world.visit] as number);

  /** As telemetry.ts claims: answers to slots that have begun, then the day, then all others. */
  const turn = (state: State, entries: readonly Entry[]): void => {
    for (const entry of entries) if (hasOtherwise(device, entry.metric)) answer(device, state, entry);
    advance(device, state);
    for (const entry of entries) if (!hasOtherwise(device, entry.metric)) answer(device, state, entry);
  };
  /** What is claimed leaves the spill. */
  const leave = (entries: readonly Entry[], seen: World['spill']): Pick<World, 'spill' | 'stale'> => {
    const items = new Map(Object.entries(seen));
    entries.forEach(spillOf(items).drop);
    const left = Object.entries(seen).filter(([key, text]) => items.get(key) !== text);
    return { spill: Object.fromEntries(items), stale: { ...world.stale, ...Object.fromEntries(left) } };
  };
  const claim = (entries: readonly Entry[], seen: World['spill'], step: Step): readonly World[] => {
    const stored = transact(world.stored, (state) => turn(state, entries));
    const rest = { openings: Math.max(world.openings, opening + 1) };
    // It fails; it is written and nobody hears; it is done.
    return [
      crash({ spill: seen, ...rest }),
      crash({ stored, spill: seen, ...rest }),
      become({ step, entries: [] }, { stored, ...leave(entries, seen), ...rest }),
    ];
  };

  switch (context.step) {
    case 'closed':
      if (world.openings === plan.openings) return [];
      return spillsSeen(world).flatMap((seen) => {
        rewind(); // each is a world of its own
        const answers = spillOf(new Map(Object.entries(seen))).answers();
        return claim(
          answers.filter(({ wire }) => wire === device.wire),
          seen,
          'opened',
        );
      });
    case 'opened': {
      const items = new Map(Object.entries(world.spill));
      const day = Math.max(today, parse(world.stored).day);
      const entries = Object.keys(device.metrics).map(
        (metric): Entry => ({
          ...(randomize(device, metric, true) as Claim),
          wire: device.wire,
          day,
          place: (hasOtherwise(device, metric) ? '?' : '') + metric,
        }),
      );
      for (const entry of entries) spillOf(items).keep(entry, slotDays(device, entry.metric));
      const recorded = become({ step: 'recorded', entries }, { spill: Object.fromEntries(items) });
      return [crash(), become({ step: 'claimed', thrown: context.thrown }), recorded];
    }
    case 'recorded':
      // Answers to metrics with `otherwise` wait for the next flush.
      return context.entries.every(({ metric }) => hasOtherwise(device, metric))
        ? [crash(), become({ step: 'claimed', thrown: context.thrown })]
        : claim(context.entries, world.spill, 'claimed');
    case 'claimed': {
      let sealed: readonly QueuedBatch[] = [];
      const stored = transact(world.stored, (state) => {
        turn(state, context.entries);
        sealed = seal(device, state);
      });
      const left = leave(context.entries, world.spill);
      let { wrong } = world;
      const sent = { ...world.sent };
      for (const batch of sealed) {
        const body = bodyOf(batch);
        if ((sent[batch.batch] ?? body) !== body) wrong = `other bytes under the id ${batch.batch}: ${body}`;
        sent[batch.batch] = body;
      }
      return [
        crash(),
        crash({ stored }),
        become({ step: 'sent', sealed, entries: [] }, { ...left, stored, sent, ...(wrong && { wrong }) }),
      ];
    }
    case 'sent': {
      const stored = transact(world.stored, (state) => {
        for (const { batch: id } of context.sealed) {
          const batch = state.outbox.find(({ batch }) => batch === id);
          if (batch) remove(device, state, batch, 'delivered');
        }
      });
      return [crash(), crash({ stored })]; // closed either way
    }
  }
}

/** All worlds that may come next: a context goes on, or a day does. */
export const next = (plan: Plan, world: World): readonly World[] => [
  ...stepsOf(plan, world, 0),
  ...stepsOf(plan, world, 1),
  ...(world.visit + 1 < plan.days.length && (plan.overnight || world.contexts.every(({ step }) => step === 'closed'))
    ? [{ ...world, visit: world.visit + 1 }]
    : []),
];

/** A report that has been sent. */
export interface Sent {
  readonly metric: string;
  readonly symbol: string;
  /** The day on which its slot was claimed. */
  readonly day: number;
  readonly document: SchemaDocument;
}

/** Every report that was sent, by the batches' own words. */
export function sentIn({ versions }: Plan, { sent }: World, slotOf: (document: SchemaDocument, metric: string) => number): readonly Sent[] {
  return Object.values(sent).flatMap((body) => {
    const { schema, day, reports } = JSON.parse(body) as WireBatch;
    const document = versions.find(({ version }) => String(version) === schema) as SchemaDocument;
    return reports.map(([metric, symbol]) => ({ metric, symbol, day: (parseDay(day) as number) - slotOf(document, metric), document }));
  });
}
