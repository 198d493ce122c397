/**
 * The clock of a worker, which stands still until the audit moves it, as Playwright's clock of a page does. The function is sent as text, so it
 * uses nothing outside of itself.
 */

/** Calls of the audit. */
interface WorkerClock {
  /** Moves the clock to a time, in milliseconds since 1970. Each timer that is due runs: again and again if `again` is set, otherwise once. */
  readonly to: (time: number, again: boolean) => Promise<void>;
}

type Work = (...args: unknown[]) => unknown;

interface Timer {
  readonly work: Work;
  readonly args: readonly unknown[];
  readonly every: number | undefined;
  at: number;
}

export function workerClock(name: string, start: number): void {
  const scope = globalThis as unknown as Record<string, unknown> & {
    readonly Performance?: { readonly prototype: object };
    readonly performance: { readonly timeOrigin: number; now: () => number };
  };
  if (Object.hasOwn(scope, name)) return;
  const Real = Date;
  let now = start;
  let last = 0;
  const timers = new Map<number, Timer>();

  /** Puts a function in the place of another, with its name. */
  const replace = (owner: object, key: string, work: Work): unknown =>
    Object.defineProperty(owner, key, {
      ...Object.getOwnPropertyDescriptor(owner, key),
      value: new Proxy((owner as Record<string, Work>)[key] as Work, { apply: (_target, _self, args: unknown[]) => work(...args) }),
    });

  replace(Real, 'now', () => now);
  const Moved = new Proxy(Real, {
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now] : args, made) as object,
    apply: () => new Real(now).toString(),
  });
  Object.defineProperty(Real.prototype, 'constructor', { value: Moved, configurable: true, writable: true });
  Object.defineProperty(scope, 'Date', { value: Moved, configurable: true, writable: true });
  if (scope.Performance) replace(scope.Performance.prototype, 'now', () => now - start);

  const begin = (work: unknown, delay: unknown, args: readonly unknown[], repeats: boolean): number => {
    const wait = Math.max(0, Number(delay) || 0);
    // A timer may have a text, as in every page.
    const run = typeof work === 'function' ? (work as Work) : () => (scope['eval'] as Work)(String(work));
    timers.set(++last, { work: run, args, every: repeats ? Math.max(1, wait) : undefined, at: now + wait });
    return last;
  };
  const end = (id: unknown): unknown => timers.delete(Number(id));
  replace(scope, 'setTimeout', (work, delay, ...args) => begin(work, delay, args, false));
  replace(scope, 'setInterval', (work, delay, ...args) => begin(work, delay, args, true));
  replace(scope, 'clearTimeout', end);
  replace(scope, 'clearInterval', end);

  const clock: WorkerClock = {
    to: async (time, again) => {
      if (!again) {
        now = time;
        for (const timer of timers.values()) timer.at = Math.max(timer.at, now - 1);
      }
      for (;;) {
        const [id, timer] = [...timers].filter(([, { at }]) => at <= time).sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
        if (id === undefined || timer === undefined) break;
        now = Math.max(now, timer.at);
        if (timer.every === undefined) timers.delete(id);
        else timer.at = again ? timer.at + timer.every : time + timer.every;
        try {
          timer.work(...timer.args);
        } catch (error) {
          void Promise.reject(error as Error); // told as every fault of a timer is
        }
        for (let i = 0; i < 10; i++) await undefined;
      }
      now = time;
    },
  };
  Object.defineProperty(scope, name, { value: clock });
}
