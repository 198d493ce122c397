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
 * @param patience the delay after it has thrown, in milliseconds
 */
export function createDeferred(delay: number, work: () => boolean, onError: (message: string) => void, patience: number = delay): Deferred {
  let timer: NodeJS.Timeout | undefined;
  const plan = (wait: number = delay): void => {
    timer ??= setTimeout(run, wait);
  };
  const run = (): void => {
    timer = undefined;
    try {
      if (!work()) plan();
    } catch (error) {
      onError((error as Error).message);
      plan(patience);
    }
  };
  return { plan: () => plan(), cancel: () => clearTimeout(timer) };
}
