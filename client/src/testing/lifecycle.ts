/** The conformance suite for lifecycles. */

import type { Lifecycle } from '../adapters/lifecycle.ts';
import type { Maybe } from '../maybe.ts';
import { expectSame, type Test } from './expect.ts';

/** Triggers the event that the lifecycle listens for. Resolves when its listeners have been called. */
export type Ending = () => Maybe<unknown>;

/**
 * Tests a lifecycle.
 *
 * @param end triggers an event of the page, app or process that should flush
 * @example testLifecycle(test, appStateLifecycle(AppState), () => emit('change', 'background'));
 */
export function testLifecycle(test: Test, lifecycle: Lifecycle, end: Ending): void {
  const listen = (): { readonly heard: () => number; readonly stop: () => void } => {
    let heard = 0;
    const stop = lifecycle(() => void heard++);
    return { heard: () => heard, stop };
  };

  test('a lifecycle calls nobody until something happens', async () => {
    const { heard, stop } = listen();
    await Promise.resolve();
    stop();
    expectSame('calls', heard(), 0);
  });

  test('a lifecycle calls each of its listeners when it ends', async () => {
    const [one, other] = [listen(), listen()];
    await end();
    one.stop();
    other.stop();
    expectSame('called', [one.heard() > 0, other.heard() > 0], [true, true]);
  });

  test('a lifecycle calls nobody who has stopped, nor does it mind being stopped twice', async () => {
    const [gone, here] = [listen(), listen()];
    gone.stop();
    gone.stop();
    await end();
    here.stop();
    expectSame('called', [gone.heard() > 0, here.heard() > 0], [false, true]);
  });
}
