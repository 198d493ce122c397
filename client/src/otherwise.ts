/**
 * Slots of metrics with `otherwise`. Their report is queued when the slot begins, and an answer may replace it until the slot ends. So the
 * fact that an answer was recorded is as well randomized as the answer itself. Only schemas with such metrics carry this code (schema.ts).
 */

import { DAYS, type MetricDocument } from '@murmuration/shared';
import type { Device } from './device.ts';
import type { Account } from './ledger/ledger.ts';
import { type Claim, nextDay } from './ledger/ledger.ts';
import type { QueuedReport } from './ledger/queued.ts';
import type { State } from './ledger/state.ts';
import { attempt } from './maybe.ts';
import { type Path, randomize, reportOf } from './record.ts';
import { hasOtherwise, isRetired, open } from './slots.ts';
import type { Outcome } from './types.ts';

/** Begins the slots that are due. Their `otherwise` report is made here and queued until the slot ends. */
export function begin(device: Device, state: State): void {
  const { metrics, budget, questions, said } = device;
  for (const [metric, document] of Object.entries(metrics)) {
    const before = state.accounts[metric];
    if (
      !hasOtherwise(device, metric) ||
      isRetired(device, state, metric) ||
      nextDay(document, before, state.day, budget, questions[metric]?.epochs) > state.day
    )
      continue;
    const asked = randomize(device, metric, document.otherwise);
    if (typeof asked !== 'object' || open(device, state, asked, DAYS[document.every]) !== 'recorded') continue;
    state.accounts[metric] = { ...(state.accounts[metric] as Account), answered: 0, before: before?.by ?? '' };
    said.push({ result: 'begun', metric });
  }
}

/**
 * Replaces the queued report of `otherwise` with an answer, until the slot ends. The slot is checked against the day on which the device
 * last looked, and that day does not change, so that nothing reveals whether something was recorded. If another version of the schema began
 * the slot, its report is in a batch of that version. Answers under this version are then refused, because the slot was charged with the ε
 * of that version's law.
 */
export function replace(path: Path, state: State, asked: Claim): Outcome['result'] {
  const account = state.accounts[asked.metric];
  const { every } = path.metrics[asked.metric] as MetricDocument;
  const isHere = ([metric, , since]: QueuedReport): boolean => metric === asked.metric && since === account?.day;
  const batch = state.outbox.find(({ schema, reports }) => reports.some(isHere) && schema === path.wire);
  if (account?.answered !== 0 || !batch || !(state.day < account.day + DAYS[every])) return 'already-answered';
  // If an epoch began with this slot, the answer's symbol becomes the epoch's; the symbol of `otherwise` has not been sent yet.
  const epoch = account.epoch?.day === account.day ? { ...account.epoch, symbol: asked.symbol } : account.epoch;
  const next = { ...account, epoch, by: asked.id, answered: 1 };
  // Coins that fail must not make the transaction fail, which would take place without this answer, too.
  const report = attempt(() => reportOf(path, asked, epoch?.symbol, account.day));
  if (!report) return 'no-entropy';
  batch.reports = batch.reports.map((old) => (isHere(old) ? report : old));
  state.accounts[asked.metric] = next;
  return 'recorded';
}
