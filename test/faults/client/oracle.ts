/**
 * Observes a device from outside, and reports violations at once. Each report has a cell of its own, by storage life, metric and the day of
 * its claim.
 * The oracle follows it from the durable step that first shows it to its end.
 */

import type { Outcome, Upload } from '@murmuration/client';
import { type Batch, DAYS, dayText } from '@murmuration/shared';
import { answerOf, DENIED, GRANTED } from '#client/ledger/decision.ts';
import { documents, SENTINELS } from './schemas.ts';

/** The part of a device's stored state that is checked. */
interface StoredState {
  readonly day: number;
  readonly decision: number;
  readonly accounts: { readonly [metric: string]: { readonly day: number; readonly epoch?: { readonly day: number } } };
  readonly outbox: readonly (Omit<Batch, 'day'> & { readonly day: number })[];
  readonly quiet: number;
  readonly noted?: boolean;
}
const EMPTY: StoredState = { day: 0, decision: 0, accounts: {}, outbox: [], quiet: 0 };

/** A report that a device claimed. */
export interface Cell {
  readonly batch: string;
  readonly metric: string;
  /** The day on which its slot was claimed. */
  readonly day: number;
  /** The wire name of the schema. */
  readonly schema: string;
  /** The storage life. An eviction, which the client can't detect, begins another. */
  readonly life: number;
  /** For a report of a permanent metric: its epoch, by the epoch's first day. */
  readonly epoch: number | undefined;
}

/** A context, as the source of writes and uploads. */
export interface Source {
  readonly name: string;
  readonly agrees: () => boolean;
  /** Whether it has been notified of a step after this one. */
  readonly heardSince: (moment: number) => boolean;
  /** The metrics of reports that it dropped and has not reported as dropped yet. */
  readonly owed: string[];
}

export interface Oracle {
  /** Outcomes, writes, timers and uploads with their times and sizes. They must be the same for any two histories of values. */
  readonly trace: string[];
  /** Uploads with their times, sizes, dates and metrics. They must be the same whether metrics with `otherwise` were recorded or not. */
  readonly uploads: string[];
  readonly failures: string[];
  /** The reports that were sent. */
  readonly sent: () => readonly Cell[];
  readonly state: () => StoredState;
  readonly moment: () => number;
  readonly wrote: (source: Source, text: string) => void;
  readonly spilled: (source: Source, text: string) => void;
  /** @param isLeaving whether the page sends it as it is left */
  readonly uploaded: (source: Source, upload: Upload, isLeaving: boolean) => void;
  /** The person agrees. What was refused before is no refusal any more, even where neither decision was stored when the browser died. */
  readonly agreed: () => void;
  /** The note that the person agrees is erased. */
  readonly withdrew: () => void;
  readonly said: (source: Source, outcome: Outcome) => void;
  /** The stored state is corrupt or gone. Another life begins, because nothing can know what was claimed. */
  readonly ruined: () => void;
  /**
   * The ledger is gone, and the spill stays. Where that remembers all claims, and all were made under the version that opens next, the
   * same life goes on.
   *
   * @param remembered the last day of a claim, as far as the spill knows
   * @param wire the version that opens next
   */
  readonly lost: (remembered: number, wire: string) => void;
}

/** The most that a device may store: batches, and characters including the accounts and one more report of the greatest length. */
const MOST_BATCHES = 101;
const MOST_CHARACTERS = 530_000;
/** A quiet time that is further ahead counts as over: the clock was set back. */
const TWO_DAYS = 172_800_000;

const wireOf = ({ reports }: Pick<Batch, 'reports'>): string => JSON.stringify(reports.map(([metric, bytes]) => [metric, bytes]));
const countOf = (batch: Pick<Batch, 'reports'> | undefined, metric: string): number =>
  batch?.reports.filter(([name]) => name === metric).length ?? 0;

/**
 * @param now the time of the device's clock
 * @param perDay the most batches with one day's date
 * @param isAnswered whether the collector has finally answered a batch
 */
export function createOracle(now: () => number, perDay: number, isAnswered: (batch: string) => boolean): Oracle {
  const [trace, uploads, failures]: [string[], string[], string[]] = [[], [], []];
  const cells = new Map<string, Cell>();
  const lastOf = new Map<string, number>(); // the day of each metric's last claim, by life
  const durable = new Map<string, Set<string>>(); // each batch, in every form that was written
  const sent = new Set<string>(); // batches
  const dates = new Map<string, Set<string>>(); // the batches of each life and date, of versions that send reports together
  const shown = new Set<string>(); // the quiet times of each life in which a report that is sent alone was first shown
  // Quiet times are counted: of a clock that was set back, two may end at the same moment.
  let [life, moment, quiet] = [0, 0, 0];
  let state = EMPTY;
  let isWithdrawn = false; // a note that the ledger knew of is erased, and nobody has agreed since
  let refusedAt = 0; // when the current refusal became durable
  let voided = -1; // the number of decisions up to the last that was lost with its ledger
  const find = (what: string): void => void failures.push(what);
  const note = ({ name }: Source, what: string): void => void trace.push(`${now()} ${name} ${what}`);
  const assertNoValue = (where: string, text: string): void => {
    if (SENTINELS.some((value) => text.includes(value))) find(`a raw value is ${where}`);
  };

  const claimed = (batch: StoredState['outbox'][number], metric: string, next: StoredState): void => {
    const account = next.accounts[metric];
    const day = account?.day ?? Number.NaN;
    const before = lastOf.get(`${life} ${metric}`);
    const every = documents.get(batch.schema)?.metrics[metric]?.every ?? 'day';
    if (before !== undefined && !(day >= before + DAYS[every])) find(`two reports of ${metric} in a slot`);
    if (day !== next.day) find(`a report of ${metric} claimed on another day than the device's`);
    lastOf.set(`${life} ${metric}`, day);
    cells.set(`${life} ${metric} ${day}`, { batch: batch.batch, metric, day, schema: batch.schema, life, epoch: account?.epoch?.day });
  };

  const ruined = (): void => {
    state = EMPTY;
    life++;
    voided = -1;
  };

  return {
    trace,
    uploads,
    failures,
    sent: () => [...cells.values()].filter(({ batch }) => sent.has(batch)),
    state: () => state,
    moment: () => moment,
    wrote: (source, text) => {
      moment++;
      note(source, `writes ${text.length} characters`);
      assertNoValue('in storage', text);
      const next = JSON.parse(text.slice(text.indexOf('{'))) as StoredState;
      if (next.outbox.length > MOST_BATCHES) find(`${next.outbox.length} batches stored, expected at most ${MOST_BATCHES}`);
      if (text.length > MOST_CHARACTERS) find(`${text.length} characters stored, expected at most ${MOST_CHARACTERS}`);
      if (next.day < state.day) find('the last day went back');
      if (next.decision >> 2 < state.decision >> 2) find('a decision was forgotten');
      if (next.quiet !== state.quiet) quiet++;
      const left = state.quiet - now();
      if (next.quiet > 0 && next.quiet !== state.quiet && left > 0 && left <= TWO_DAYS) find('a quiet time cut short');
      if (answerOf(next.decision) === GRANTED && next.decision >> 2 <= voided) find('an agreement that outlives its ledger');
      if (answerOf(next.decision) !== GRANTED || !next.noted) isWithdrawn = false; // the ledger knows, or it is another agreement
      const isDenied = answerOf(next.decision) === DENIED;
      if (isDenied && next.outbox.length > 0) find('an outbox that outlives a refusal');
      if (isDenied && next.decision !== state.decision) refusedAt = moment;
      for (const batch of next.outbox) {
        const before = state.outbox.find((old) => old.batch === batch.batch);
        if (sent.has(batch.batch) && before && wireOf(before) !== wireOf(batch)) find('a batch that changed once it was sent');
        for (const metric of new Set(batch.reports.map(([name]) => name))) {
          const came = countOf(batch, metric) - countOf(before, metric);
          if (came > 1) find(`${came} reports of ${metric} claimed in one step`);
          if (came < 0) find(`a report of ${metric} lost from its batch`);
          if (came > 0) claimed(batch, metric, next);
        }
        durable.set(batch.batch, (durable.get(batch.batch) ?? new Set()).add(wireOf(batch)));
      }
      for (const batch of state.outbox)
        if (!isDenied && source.agrees() && !isAnswered(batch.batch) && !next.outbox.some((other) => other.batch === batch.batch))
          source.owed.push(...batch.reports.map(([metric]) => metric));
      state = next;
    },
    spilled: (source, text) => {
      note(source, `spills ${text.length} characters`);
      assertNoValue('in the spill', text);
    },
    agreed: () => {
      isWithdrawn = false;
      voided = -1; // what is agreed to from now on is new, whatever its number
    },
    withdrew: () => {
      isWithdrawn = state.noted === true;
    },
    uploaded: (source, { body }, isLeaving) => {
      const batch = JSON.parse(body) as Batch;
      note(source, `uploads ${batch.batch} of ${body.length} characters`);
      const metrics = batch.reports.map(([metric]) => metric).sort();
      uploads.push(`${now()} ${source.name} uploads ${body.length} characters of ${batch.schema}, ${batch.day}: ${metrics}`);
      assertNoValue('on the wire', body);
      if (isWithdrawn && !isLeaving) find('an upload after the note of an agreement was erased');
      if (!source.agrees()) find('an upload after this context has denied');
      if (!durable.get(batch.batch)?.has(wireOf(batch))) find('an upload of what no durable step holds');
      if (answerOf(state.decision) === DENIED && source.heardSince(refusedAt)) find('an upload after a refusal');
      const isFirst = !sent.has(batch.batch);
      sent.add(batch.batch);
      if (documents.get(batch.schema)?.reports === 'alone') {
        if (batch.reports.length !== 1) find(`${batch.reports.length} reports in a batch, expected one alone`);
        if (isFirst && state.quiet > now() && shown.has(`${life} ${quiet}`)) find('two new reports in one quiet time');
        if (isFirst) shown.add(`${life} ${quiet}`);
        return;
      }
      const ids = dates.get(`${life} ${batch.day}`) ?? new Set();
      dates.set(`${life} ${batch.day}`, ids.add(batch.batch));
      if (ids.size === perDay && batch.day >= dayText(state.day)) find('the last batch of a day before the day is over');
      if (ids.size > perDay) find(`${ids.size} batches with one day's date, expected at most ${perDay}`);
    },
    said: (source, { metric = '', result }) => {
      note(source, `says ${result} ${metric}`);
      const at = ['expired', 'dropped', 'refused', 'delivered', 'no-consent'].includes(result) ? source.owed.indexOf(metric) : -1;
      if (at >= 0) source.owed.splice(at, 1);
    },
    ruined,
    lost: (remembered, wire) => {
      const claims = [...cells.values()].filter((cell) => cell.life === life);
      if (!claims.every(({ day, schema }) => day <= remembered && schema === wire) || claims.length === 0) return ruined();
      voided = state.decision >> 2;
      state = EMPTY;
    },
  };
}
