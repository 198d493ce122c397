/** Applies steps to a device. */

import type { Context, Device } from './device.ts';
import { DAY, type Step } from './steps.ts';

/** Applies one step. A missing context is opened instead. */
export async function take(device: Device, step: Step): Promise<void> {
  const { clock, storage, network, contexts, setup, oracle } = device;
  const at = 'tab' in step ? step.tab % setup.tabs : 0;
  const context = contexts[at];
  if ('tab' in step) {
    if (context) await inContext(device, context, step, at);
    else device.open(at);
  } else if (step.kind === 'network') network.set(step.state);
  else if (step.kind === 'answers') network.catchUp();
  else if (step.kind === 'storage') storage.set(step.health);
  else if (step.kind === 'wait') await device.wait(step.milliseconds);
  else if (step.kind === 'turn clock') clock.set(new Date(clock.now() + step.milliseconds));
  else if (step.kind === 'release') {
    device.release(step.version);
    if (step.closes) for (const open of contexts) open?.die();
    if (!contexts[0]) device.open(0);
  } else {
    for (const open of contexts) open?.die();
    if (step.kind === 'kill all') {
      storage.loseSpill(step.losesSpill);
      if (step.losesSpill && storage.text() === undefined) oracle.ruined(); // nothing remembers a ledger that was lost before
    } else if (step.kind === 'lose') oracle.lost(storage.lose(), device.wire());
    else {
      // The storage is corrupted independently of its content, because the same must happen to both people.
      oracle.ruined();
      storage.replace(step.text);
    }
    device.open(0, step.kind === 'kill all' && step.isStale);
  }
  await device.settle();
}

async function inContext(device: Device, context: Context, step: Step & { readonly tab: number }, at: number): Promise<void> {
  const { telemetry } = context;
  const goBack = (): void => {
    context.isAway = false;
    context.tell('return');
  };
  const leave = (): void => {
    context.tell('leave');
    context.isAway = true;
  };
  // A page that was left runs nothing until it is restored.
  if (context.isAway) {
    if (step.kind === 'kill' || step.kind === 'close' || step.kind === 'reload') context.die();
    else goBack();
    return;
  }
  switch (step.kind) {
    case 'record':
      return device.record(context, step.metrics);
    case 'record and leave':
      device.record(context, step.metrics);
      await undefined; // its transaction has begun
      await undefined;
      return leave();
    case 'days':
      device.network.set(step.network);
      return live(device, context, step.days, step.one);
    case 'decide':
      for (const decision of step.decisions) {
        if (decision === 'forget') void telemetry.forget();
        else if (decision === 'grant') device.agree(context);
        else telemetry.consent.deny();
      }
      return;
    case 'flush':
      return void telemetry.flush();
    case 'hide':
      return void context.tell('flush');
    case 'leave':
      return leave();
    case 'leave and return':
      leave();
      await device.settle();
      return goBack();
    case 'reload':
      leave();
      context.die();
      return device.open(at, device.clock.now() % 2 === 0);
    case 'close':
      context.isClosing = true;
      void telemetry.close().then(() => context.die());
      return;
    case 'kill':
      if (step.steps < 0) context.die();
      else context.fuse = { steps: step.steps, isWritten: step.isWritten };
  }
}

/** Days on which everything is recorded and sent together, or everything except bulky reports one by one. */
async function live(device: Device, context: Context, days: number, one: boolean): Promise<void> {
  const all = [...device.metrics.keys()].filter((index) => !one || !device.metrics[index]?.startsWith('bulk'));
  for (let day = 0; day < days; day++) {
    for (const some of one ? all.map((index) => [index]) : [all]) {
      if (!context.alive) return;
      device.record(context, some);
      void context.telemetry.flush();
      await device.settle();
    }
    await device.wait(DAY);
    await device.settle();
  }
}
