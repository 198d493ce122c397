/** How the steps of a story happen to a device. */

import type { Device, Page } from './device.ts';
import { DAY, HOUR, RUINS, type Step } from './story.ts';

/** Lets a step happen. A page that is not there is opened instead. */
export async function take(device: Device, step: Step): Promise<void> {
  const { clock, disk, network, pages, setup } = device;
  const at = 'tab' in step ? step.tab % setup.tabs : 0;
  const page = pages[at];
  if ('tab' in step && page === undefined) device.open(at);
  else if ((step.kind === 'decide' || step.kind === 'waver' || step.kind === 'hand over') && setup.tabs === 2 && disk.health() === 'held') {
    // What two tabs decide while their storage stands still has no order.
  } else if ('tab' in step) await onPage(device, page as Page, step, at);
  else if (step.kind === 'weather') network.set(step.weather);
  else if (step.kind === 'answers') network.catchUp();
  else if (step.kind === 'storage') disk.set(step.health);
  else if (step.kind === 'wait') await device.wait(step.milliseconds);
  else if (step.kind === 'silence') {
    network.set('offline');
    for (let hour = 0; hour < 6; hour++) await device.wait(HOUR);
  } else if (step.kind === 'turn clock') {
    for (const open of pages) open?.manners.turned();
    clock.set(new Date(clock.now() + step.milliseconds));
  } else {
    for (const open of pages) open?.die();
    if (step.kind === 'release') device.release(step.version);
    else if (disk.text() !== null) device.replace(step.text);
    device.open(0);
  }
  await device.settle();
}

async function onPage(device: Device, page: Page, step: Step & { readonly tab: number }, at: number): Promise<void> {
  switch (step.kind) {
    case 'record':
      return device.record(page, step.metrics);
    case 'days':
      if (step.offline) device.network.set('offline');
      return live(device, page, step.days, step.one);
    case 'waver':
      device.decide(page, step.refusal);
      if (device.setup.tabs === 2) await device.settle(); // what two tabs do in one instant has no order
      device.decide(device.pages[step.other % device.setup.tabs] ?? page, 'grant');
      return;
    case 'hand over':
      return handOver(device, page, device.pages[1 - at] ?? page, step.metrics);
    case 'decide':
      return decide(device, page, step.decision);
    case 'flush':
      page.manners.hasReason();
      page.manners.force(true);
      return void page.telemetry.flush();
    case 'hide':
      page.manners.hasReason();
      return void page.hide();
    case 'reload':
      page.hide();
      page.die();
      return device.open(at);
    case 'close':
      page.manners.force(true);
      page.isClosing = true;
      void page.telemetry.close().then(() => page.die());
      return;
    case 'crash':
      if (step.writes < 0) page.die();
      else page.fuse = { writes: step.writes, before: step.before };
  }
}

/** One page records, the person wavers on the other, and that one dies. */
async function handOver(device: Device, holder: Page, heir: Page, chosen: readonly number[]): Promise<void> {
  device.record(heir, chosen);
  for (const decision of ['deny', 'grant'] as const) {
    device.decide(holder, decision);
    await device.settle();
  }
  holder.die();
  await device.settle();
  if (heir.alive) void heir.hide();
}

/** So many days on which everything is recorded and sent together, or all but bulky reports one by one. */
async function live(device: Device, page: Page, days: number, one: boolean): Promise<void> {
  const all = [...device.metrics.keys()].filter((index) => !one || !device.metrics[index]?.startsWith('bulk'));
  for (let day = 0; day < days; day++) {
    for (const some of one ? all.map((index) => [index]) : [all]) {
      if (!page.alive) return;
      device.record(page, some);
      page.manners.force(true);
      void page.telemetry.flush();
      await device.settle();
    }
    await device.wait(DAY);
    await device.settle();
  }
}

/** Where nothing fails, a refusal leaves nothing that waits, and who is forgotten leaves no more than the spent budget. */
async function decide(device: Device, page: Page, decision: 'grant' | 'deny' | 'forget'): Promise<void> {
  const { disk, pages, evidence, setup } = device;
  const isFaultless = disk.health() === 'works' && pages.every((each) => !each?.fuse && !each?.isClosing);
  const isHeard = pages.some((each) => each?.isOpen && (setup.news || each === page));
  device.decide(page, decision);
  await device.settle();
  const text = disk.text();
  // Over a ruin nothing is written before the person agrees.
  if (decision === 'grant' || !isFaultless || !isHeard || RUINS.includes(text) || (setup.tabs === 2 && !setup.lock)) return;
  const { outbox, accounts, ...rest } = JSON.parse(text as string) as { readonly outbox: readonly unknown[]; readonly accounts: object };
  if (outbox.length > 0) evidence.failures.push('an outbox that outlives a refusal');
  if (decision === 'deny') return;
  const left = [...Object.keys(rest), ...Object.values(accounts).flatMap((account) => Object.keys(account as object))];
  if (left.some((key) => !['v', 'day', 'batches', 'spent'].includes(key))) evidence.failures.push(`forgotten, but for ${left}`);
  if (disk.decision() !== 'denied') evidence.failures.push(`forgotten, and ${disk.decision()}`);
}
