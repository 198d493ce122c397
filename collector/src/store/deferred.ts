/** Deferred work: it runs once, a fixed delay after the first of several requests for it. */

/** A piece of deferred work. */
export interface Deferred {
  readonly plan: () => void;
  readonly cancel: () => void;
}

/**
 * Creates deferred work.
 *
 * @param delay in milliseconds
 * @param work returns whether it is done; it is retried after the delay when it is not, or when it throws
 * @param onError called with the message of what it throws
 */
export function createDeferred(delay: number, work: () => boolean, onError: (message: string) => void): Deferred {
  let timer: NodeJS.Timeout | undefined;
  const plan = (): void => {
    timer ??= setTimeout(run, delay);
  };
  const run = (): void => {
    timer = undefined;
    let isDone = false;
    try {
      isDone = work();
    } catch (error) {
      onError((error as Error).message);
    }
    if (!isDone) plan();
  };
  return { plan, cancel: () => clearTimeout(timer) };
}
