/** What must hold of a device, whatever has happened to it. */

import { DAYS } from '@murmuration/shared';
import type { Device } from './device.ts';
import { documents } from './device-schemas.ts';
import { cellOf, type Sent } from './evidence.ts';

/** Lets everything that waits come to its end: the faults are over, the pages close one after the other, and one more opens and closes. */
export async function finish(device: Device): Promise<void> {
  const { disk, network, pages, evidence } = device;
  disk.set('works');
  network.set('fine');
  network.catchUp();
  await device.settle();
  for (;;) {
    const open = pages.filter((page) => page !== undefined);
    const isLast = open.length === 0;
    if (isLast) device.open(0);
    await device.settle();
    const page = isLast ? pages[0] : (open.find(({ isOpen }) => isOpen) ?? open[0]);
    if (page === undefined) return void evidence.failures.push('a page that died of nothing');
    page.fuse = undefined;
    if (!page.isOpen) evidence.failures.push('a page that never opened');
    device.decide(page, true);
    void page.telemetry.flush();
    await device.settle();
    const { records, answered, expired, denied } = page;
    // What a refusal erases says nothing.
    if (answered > records || (answered + expired < records && !denied)) evidence.failures.push(`${records} records, ${answered} outcomes`);
    void page.telemetry.close();
    await device.settle();
    page.die();
    if (isLast) return;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, x) => total + x, 0);

/** ε that some reports spent: each its own, those of an epoch its ε∞ together. */
function spent(reports: readonly Sent[], epochs: ReadonlyMap<string, string>): number {
  const shared = new Map<string, number>();
  const own: number[] = [];
  for (const report of reports) {
    const { metric, schema } = report;
    const { epsilon = Number.POSITIVE_INFINITY, permanent } = documents.get(schema)?.metrics[metric] ?? {};
    if (permanent === undefined) own.push(epsilon);
    else {
      const epoch = `${metric} ${epochs.get(cellOf(report))}`;
      shared.set(epoch, Math.max(shared.get(epoch) ?? 0, permanent.epsilon));
    }
  }
  return sum([...own, ...shared.values()]);
}

/** Each window in which a schema's promise was broken: of its length, with a report under it, and more than its ε. */
function broken({ sent, epochs }: Device['evidence']): readonly string[] {
  return sent.flatMap(({ day: first, life }) => {
    const since = sent.filter((report) => report.life === life && report.day >= first);
    return [...documents].flatMap(([wire, { budget }]) => {
      const reports = since.filter(({ day }) => day < first + DAYS[budget.per]);
      const total = reports.some(({ schema }) => schema === wire) ? spent(reports, epochs) : 0;
      return total > budget.epsilon + 1e-9 ? [`ε ${total} in a window of ${wire}, whose budget is ${budget.epsilon}`] : [];
    });
  });
}

/** What is wrong with a device that is finished. */
export function wrong({ evidence, network }: Device): readonly string[] {
  const cells = (batches: ReadonlySet<string>): readonly string[] => evidence.sent.filter(({ batch }) => batches.has(batch)).map(cellOf);
  const counted = cells(network.counted);
  const told = new Set([...counted, ...cells(network.refused)]);
  const lost = [...evidence.recorded].filter((cell) => !told.has(cell));
  const twice = counted.filter((cell, i) => counted.indexOf(cell) !== i);
  return [
    ...evidence.failures,
    ...network.changed.map((batch) => `other bytes under the id ${batch}`),
    ...twice.map((cell) => `${cell} counted twice`),
    ...lost.map((cell) => `${cell} lost, and not said to be dropped`),
    ...broken(evidence),
  ];
}
