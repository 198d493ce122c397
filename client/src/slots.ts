/**
 * Which slots are open today, and on which day what they hold may leave. No value is known here: slots begin by the calendar, and
 * the days on which reports leave are drawn by coins.
 */

import { ACCEPTED_DAYS, DAYS, dayText, type MetricDocument } from '@murmuration/shared';
import type { Device } from './device.ts';
import { type Claim, nextDay } from './ledger/ledger.ts';
import { isChosen } from './ledger/participation.ts';
import type { State } from './ledger/state.ts';
import { put, trim, turnTo } from './outbox.ts';
import { randomize, replace, take } from './record.ts';
import type { Outcome } from './types.ts';

/** The most days that `later` draws from. */
const LATER = 30;

/** A randomized answer that waits for its slot. */
export interface Entry extends Claim {
  /** The day on which it was recorded. */
  readonly day: number;
  /** The name of its schema on the wire: to another one's questions it is no answer. */
  readonly wire: string;
}

/** Whether a metric has an answer that stands for those who recorded nothing. */
export const hasOtherwise = ({ metrics }: Device, name: string): boolean => metrics[name]?.otherwise !== undefined;

/** Whether a slot is taken as far as is known: nothing gives it back, so that much can be said at once. */
export function isTaken(device: Device, { accounts }: State, name: string, today: number): boolean {
  const account = accounts[name];
  return (
    !!account &&
    !(account.answered === 0 && hasOtherwise(device, name)) &&
    nextDay(device.metrics[name] as MetricDocument, account, today, device.budget) > today
  );
}

/** Claims a slot, if it is open, and puts its report into the outbox. */
function open(device: Device, state: State, asked: Claim): Outcome['result'] {
  const { about, metrics, isLater, coins } = device;
  const { metric: name } = asked;
  const expires = about[name]?.expires;
  if ((expires && dayText(state.day) > expires) || state.retired[name] === device.wire) return 'retired';
  if (!isChosen(device, state, name)) return 'not-chosen';
  const report = take(device, state, asked);
  if (typeof report === 'string') return report;
  const slot = DAYS[(metrics[name] as MetricDocument).every];
  const most = isLater ? Math.min(slot, LATER) : 0;
  const isOtherwise = hasOtherwise(device, name);
  put(device, state, report, state.day + (isOtherwise ? slot : most) + (isLater ? coins.uniform(most) : 0));
  return isOtherwise ? 'begun' : 'recorded';
}

/**
 * A day has come: what has waited too long expires, and the slots of metrics with `otherwise` begin. Their report is made here and
 * waits for the slot's end, where an answer may take its place. So whether one was recorded is as well randomized as what was.
 */
export function advance(device: Device, state: State): void {
  if (!(device.today() > 0)) return;
  turnTo(state, device.today());
  trim(device, state);
  for (const [metric, document] of Object.entries(device.metrics)) {
    if (!hasOtherwise(device, metric) || nextDay(document, state.accounts[metric], state.day, device.budget) > state.day) continue;
    const asked = randomize(device, metric, document.otherwise);
    if (typeof asked === 'object' && open(device, state, asked) === 'begun') device.said.push({ result: 'begun', metric });
  }
}

/** Answers a question, if its slot is open. */
export function answer(device: Device, state: State, entry: Entry): Outcome['result'] {
  const account = state.accounts[entry.metric];
  // By a transaction whose end nobody heard; or, with `otherwise`, for the slot before: the same symbol in two reports would tell that it is no `otherwise`.
  if (account?.by === entry.id || account?.before === entry.id) return 'recorded';
  if (!Object.hasOwn(device.metrics, entry.metric)) return 'unknown-metric';
  // Written so that a clock that gives no number answers nothing.
  if (entry.wire !== device.wire || !(device.today() <= entry.day + ACCEPTED_DAYS.before)) return 'expired';
  // What was recorded before the last answer's slot began is no answer to a later one: it may have been claimed long ago, and be spilled still.
  if (account && account.day > entry.day) return 'already-answered';
  if (!hasOtherwise(device, entry.metric)) return open(device, state, entry);
  // A report under another version's law, and charged by it, is not replaced by an answer under this one's.
  const isOthers = state.outbox.some(
    ({ schema, reports }) => schema !== device.wire && reports.some(([name, , since]) => name === entry.metric && since === account?.day),
  );
  return isOthers ? 'already-answered' : replace(device, state, entry);
}
