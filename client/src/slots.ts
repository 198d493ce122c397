/**
 * Decides which slots are open today, and on which day their reports may be sent. No value is known here: slots begin by the calendar, and
 * coins draw the days on which reports are sent.
 */

import { ACCEPTED_DAYS, DAYS, dayText, type MetricDocument } from '@murmuration/shared';
import type { Device, Parts } from './device.ts';
import { type Claim, nextDay } from './ledger/ledger.ts';
import { isChosen } from './ledger/participation.ts';
import type { State } from './ledger/state.ts';
import { put, trim, turnTo } from './outbox.ts';
import { take } from './record.ts';
import type { Outcome } from './types.ts';

/** A randomized answer that waits for its slot. */
export interface Entry extends Claim {
  /** The day on which it was recorded. */
  readonly day: number;
  /** The name of its schema on the wire. It does not answer another schema's questions. */
  readonly wire: string;
  /** Its name in the spill: one for all versions of a metric, but another where it has `otherwise`, so that such an answer stops no other. */
  readonly place: string;
}

/** True if a question has ended: its last day is over, or the collector has retired it. Without a last day the comparison is false. */
export const isRetired = (device: Device, state: State, name: string): boolean =>
  dayText(state.day) > (device.about[name]?.expires as string) || state.retired[name] === device.wire;

/** True if a metric has an `otherwise` answer, which is reported for devices that recorded nothing. */
export const hasOtherwise = ({ metrics }: Device, name: string): boolean => metrics[name]?.otherwise !== undefined;

/** The days for which the spill keeps one answer of a metric. */
export function slotDays({ metrics, questions, budget }: Device, name: string): number {
  const metric = metrics[name] as MetricDocument;
  return questions[name]?.epochs?.days(metric, budget.per) ?? DAYS[metric.every];
}

/** True if a slot is taken, as far as this context knows. A taken slot is never released, so a record can be refused at once. */
export function isTaken(device: Device, { accounts }: State, name: string, today: number): boolean {
  const account = accounts[name];
  return (
    !!account &&
    !(account.answered === 0 && hasOtherwise(device, name)) &&
    nextDay(device.metrics[name] as MetricDocument, account, today, device.budget, device.questions[name]?.epochs) > today
  );
}

/**
 * Claims a slot, if it is open, and adds its report to the outbox.
 *
 * @param slot the length of a slot with `otherwise`, for which its report waits
 */
export function open(device: Device, state: State, asked: Claim, slot: number = 0): Outcome['result'] {
  const { metric: name } = asked;
  if (!isChosen(device, state, name)) return 'not-chosen';
  const report = take(device, state, asked, slot ? state.day : undefined);
  if (typeof report === 'string') return report;
  const most = device.later?.(device, name) ?? 0;
  put(device, state, report, state.day + (slot || most) + device.uniform(most));
  return 'recorded';
}

/** Starts a new day: reports that have waited too long expire, and the slots of metrics with `otherwise` begin. */
export function advance(device: Device, state: State): void {
  if (!(device.today() > 0)) return;
  turnTo(state, device.today());
  trim(device, state);
  device.begin?.(device, state);
}

/** Answers a question, if its slot is open. */
export function answer(device: Device, state: State, entry: Entry): Outcome['result'] {
  const account = state.accounts[entry.metric];
  // Recorded already: by a transaction whose completion was never reported or, with `otherwise`, in the previous slot. The same symbol in
  // two reports would reveal that it is not the `otherwise` answer.
  if (account?.by === entry.id || account?.before === entry.id) return 'recorded';
  if (!device.metrics[entry.metric]) return 'unknown-metric';
  // With a clock that returns NaN, the negated comparison refuses the answer.
  if (entry.wire !== device.wire || !(device.today() <= entry.day + ACCEPTED_DAYS.before)) return 'expired';
  // An answer recorded before the current slot began does not answer a later slot. It may have been claimed long ago and still be in the
  // spill.
  if ((account?.day as number) > entry.day) return 'already-answered';
  if (isRetired(device, state, entry.metric)) return 'retired'; // also where it would replace an `otherwise` answer that waits
  // Nor does one that was recorded while a slot was taken, perhaps by another version of the schema. So answers of consecutive days are
  // never in more reports than there may be slots on these days.
  if (!hasOtherwise(device, entry.metric))
    return isTaken(device, state, entry.metric, entry.day) ? 'already-answered' : open(device, state, entry);
  return (device as Required<Parts>).replace(device, state, entry);
}
