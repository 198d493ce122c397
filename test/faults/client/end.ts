/** The invariants of a device at the end, whatever has happened to it. */

import { ACCEPTED_DAYS, DAYS, dayText, sumOf } from '@murmuration/shared';
import { answerOf, GRANTED } from '#client/ledger/decision.ts';
import type { Device } from './device.ts';
import type { Cell } from './oracle.ts';
import { documents } from './schemas.ts';

const MINUTE = 60_000;

/** Completes everything that is pending: ends the faults, closes the contexts one after the other, and opens and closes one more. */
export async function finish(device: Device): Promise<void> {
  const { storage, network, contexts, oracle, setup } = device;
  storage.set('works');
  network.set('fine');
  network.catchUp();
  await device.settle();
  for (const context of contexts) {
    if (!context) continue;
    context.fuse = undefined;
    if (context.isAway) {
      context.isAway = false;
      context.tell('return');
    }
    await device.settle();
    context.isClosing = true;
    void context.telemetry.close();
    await device.settle();
    await device.wait(MINUTE); // for requests that the network never answered
    context.die();
  }
  device.open(0);
  await device.settle();
  const last = contexts[0];
  if (!last) return void oracle.failures.push('a context that died of nothing');
  device.agree(last);
  await device.settle();
  // Reports that are sent alone may come faster than they leave. Each waits until no collector would take it.
  const late = (): readonly { readonly day: number }[] =>
    oracle
      .state()
      .outbox.filter(
        ({ day, schema }) => day < oracle.state().day - (documents.get(schema)?.reports === 'alone' ? ACCEPTED_DAYS.before : 0),
      );
  // What has waited goes batch by batch, at random times. Within one wait no answer comes, so an upload in the midst of it times out.
  for (let i = 0; i < 4_000 && late().length > 0; i++) {
    void last.telemetry.flush();
    await device.wait(10 * MINUTE);
  }
  const { day, decision } = oracle.state();
  if (answerOf(decision) !== GRANTED && storage.text() !== undefined)
    oracle.failures.push(`granted at last, but the decision ${decision} is stored`);
  for (const { day: date } of late()) oracle.failures.push(`a batch of ${dayText(date)} that still waits on ${dayText(day)}`);
  if (last.telemetry.consent.state !== 'granted') oracle.failures.push(`granted at last, and ${last.telemetry.consent.state}`);
  await device.settle();
  const silent = device.silent();
  if (silent.length > 0) oracle.failures.push(`records of ${silent} without an outcome (${setup.kind.hasSpill ? 'a spill' : 'no spill'})`);
}

/** The ε that reports spent: each report its own, and the reports of an epoch its ε∞ together. */
function spent(reports: readonly Cell[]): number {
  const shared = new Map<string, number>();
  const own: number[] = [];
  for (const { metric, schema, epoch } of reports) {
    const { epsilon = Number.POSITIVE_INFINITY, permanent } = documents.get(schema)?.metrics[metric] ?? {};
    const name = `${metric} ${epoch}`;
    if (permanent === undefined) own.push(epsilon);
    else shared.set(name, Math.max(shared.get(name) ?? 0, permanent.epsilon));
  }
  return sumOf([...own, ...shared.values()]);
}

/** Each window in which a schema's promise was broken: a window of its length that contains a report under it and more than its ε. */
function broken(sent: readonly Cell[]): readonly string[] {
  return sent.flatMap(({ day: first, life }) => {
    const since = sent.filter((report) => report.life === life && report.day >= first);
    return [...documents].flatMap(([wire, { budget }]) => {
      const reports = since.filter(({ day }) => day < first + DAYS[budget.per]);
      const total = reports.some(({ schema }) => schema === wire) ? spent(reports) : 0;
      return total > budget.epsilon + 1e-9 ? [`ε ${total} in a window of ${wire}, whose budget is ${budget.epsilon}`] : [];
    });
  });
}

/** The violations of a finished device. */
export const wrong = ({ oracle, network }: Device): readonly string[] => [
  ...oracle.failures,
  ...network.changed.map((batch) => `other bytes under the id ${batch}`),
  ...broken(oracle.sent()),
];
