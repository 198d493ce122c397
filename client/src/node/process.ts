/** The lifecycle and the clock of a Node program. Telemetry neither keeps the program alive nor ends it. */

import type { Clock, Lifecycle } from '../adapters/lifecycle.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * All listeners share one handler per event. A server may have many listeners, and a handler must be able to tell whether it is the only
 * one.
 */
const listeners = new Set<() => unknown>();
const told = new WeakSet<() => unknown>();

/** The event loop is empty. Each listener flushes only once, because a failed upload empties the loop again. */
function drained(): void {
  for (const listener of [...listeners]) {
    if (told.has(listener)) continue;
    told.add(listener);
    listener();
  }
}

/** The program ends. What waits is written; an upload that begins now is sent again by the next run. */
const ended = (): void => {
  for (const listener of [...listeners]) listener();
};

/** Flushes. If the program does not handle the signal itself, it is then ended by the signal as usual. */
function signalled(signal: NodeJS.Signals): void {
  ended();
  if (process.listenerCount(signal) > 1) return;
  process.off(signal, signalled);
  process.kill(process.pid, signal);
}

/**
 * Flushes when a program has nothing left to do and when it is told to end. A program that calls `process.exit` runs nothing later. Its
 * records are on the disk one turn after they were made, those of metrics with `otherwise` when it ends, and are sent by its next run.
 *
 * @example createTelemetry({ schema, endpoint, storage: fileStorage(folder), lifecycle: nodeLifecycle, clock: nodeClock });
 */
export const nodeLifecycle: Lifecycle = (tell) => {
  const listener = (): unknown => tell('flush');
  if (listeners.size === 0) {
    process.on('beforeExit', drained);
    process.on('exit', ended);
    // Our handler runs first, because a program's own may remove itself when it runs.
    for (const signal of SIGNALS) process.prependListener(signal, signalled);
  }
  listeners.add(listener);
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    process.off('beforeExit', drained);
    process.off('exit', ended);
    for (const signal of SIGNALS) process.off(signal, signalled);
  };
};

/** The system's clock. Its timers do not keep the process alive; `nodeLifecycle` flushes when nothing else does. */
export const nodeClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
