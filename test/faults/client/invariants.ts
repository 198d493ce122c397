/** What must hold of a device, whatever has happened to it. */

import { DAYS, dayText } from '@murmuration/shared';
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
  if (pages.every((page) => page === undefined)) device.open(0);
  for (;;) {
    const open = pages.filter((page) => page !== undefined);
    const isLast = open.length === 0;
    if (isLast) device.open(0);
    await device.settle();
    const page = isLast ? pages[0] : (open.find(({ isOpen }) => isOpen) ?? open[0]);
    if (page === undefined) return void evidence.failures.push('a page that died of nothing');
    page.fuse = undefined;
    if (!page.isOpen) evidence.failures.push('a page that never opened');
    device.decide(page, 'grant');
    page.manners.force(true);
    void page.telemetry.flush();
    await device.settle();
    const miscounted = page.log.miscounted();
    if (miscounted) evidence.failures.push(miscounted);
    page.isClosing = true;
    page.manners.force(true);
    void page.telemetry.close();
    await device.settle();
    page.die();
    if (isLast) return assertSent(device);
  }
}

/** Once all is well, only what is dated today or later may still wait, and the person's last word is stored. */
function assertSent({ disk, evidence, setup }: Device): void {
  if (setup.tabs === 2 && !setup.lock) return;
  if (disk.decision() !== 'granted') evidence.failures.push(`granted at last, but ${disk.decision()} is stored`);
  const text = disk.text();
  if (text !== null && !text.startsWith('{"v":1,"day"')) evidence.failures.push(`${text} that stays in the storage`);
  const { outbox, day } = evidence.state();
  for (const { day: date } of outbox)
    if (date < dayText(day)) evidence.failures.push(`a batch of ${date} that still waits on ${dayText(day)}`);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, x) => total + x, 0);

/** ε that some reports spent: each its own, those of an epoch its ε∞ together. */
function spent(reports: readonly Sent[]): number {
  const shared = new Map<string, number>();
  const own: number[] = [];
  for (const report of reports) {
    const { metric, schema, epoch = '' } = report;
    const { epsilon = Number.POSITIVE_INFINITY, permanent } = documents.get(schema)?.metrics[metric] ?? {};
    if (permanent === undefined) own.push(epsilon);
    else shared.set(epoch, Math.max(shared.get(epoch) ?? 0, permanent.epsilon));
  }
  return sum([...own, ...shared.values()]);
}

/** Each window in which a schema's promise was broken: of its length, with a report under it, and more than its ε. */
function broken({ sent }: Device['evidence']): readonly string[] {
  return sent.flatMap(({ day: first, life }) => {
    const since = sent.filter((report) => report.life === life && report.day >= first);
    return [...documents].flatMap(([wire, { budget }]) => {
      const reports = since.filter(({ day }) => day < first + DAYS[budget.per]);
      const total = reports.some(({ schema }) => schema === wire) ? spent(reports) : 0;
      return total > budget.epsilon + 1e-9 ? [`ε ${total} in a window of ${wire}, whose budget is ${budget.epsilon}`] : [];
    });
  });
}

/** What is wrong with a device that is finished. */
export function wrong({ evidence, network }: Device): readonly string[] {
  const counted = evidence.sent.filter(({ batch }) => network.counted.has(batch)).map(cellOf);
  const twice = counted.filter((cell, i) => counted.indexOf(cell) !== i);
  return [
    ...evidence.failures,
    ...network.changed.map((batch) => `other bytes under the id ${batch}`),
    ...twice.map((cell) => `${cell} counted twice`),
    ...broken(evidence),
  ];
}
