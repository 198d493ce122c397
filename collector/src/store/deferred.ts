/** Deferred work: it runs once, a fixed delay after the first of several requests for it. */

/** Deferred work. */
export interface Deferred {
  readonly plan: () => void;
  readonly cancel: () => void;
}

/**
 * Work to be planned.
 *
 * @param delay in milliseconds
 * @param work says whether it is done; it is tried again when it is not, or throws
 * @param onError is told of what it throws
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
