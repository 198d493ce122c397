// Whether the numbers follow the collector right now, and if not, how old they are.
// Screen readers announce only changes of state, not each response.

import type { VNode } from 'preact';
import type { Connection, MetricsState } from './use-metrics.ts';

const WORDS: Readonly<Record<Connection, string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost, trying again',
  failing: 'the collector answers with an error, trying again',
  paused: 'paused',
  'signed-out': 'signed out',
};

export function Live({ state }: { state: MetricsState }): VNode {
  const { connection, answered } = state;
  const time = answered?.toLocaleTimeString('en-GB');
  const age = connection !== 'live' && time ? `; numbers from ${time}` : '';
  const title = time ? `The collector last answered at ${time}` : 'The collector has not answered yet';
  return (
    <p class={`live live-${connection}`} role="status" title={title}>
      <span class="live-dot" aria-hidden="true" />
      {WORDS[connection]}
      {age}
    </p>
  );
}
