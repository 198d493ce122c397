// The name, the one sentence that a reader needs before any number, and whether the data is up to date.

import type { VNode } from 'preact';
import type { Among } from '../api/shown.ts';
import { whomOf } from './explain.ts';
import { Live } from './live.tsx';
import { Logo } from './logo.tsx';
import { SignOut } from './sign-out.tsx';
import type { MetricsState } from './use-metrics.ts';

export function Header({ state, among }: { state: MetricsState; among: Among }): VNode {
  return (
    <header class="masthead">
      <div class="masthead-row">
        <h1>
          <Logo />
          Murmuration
        </h1>
        <div class="masthead-end">
          <a href="releases.html">Releases</a>
          <Live state={state} />
          {state.connection === 'live' && <SignOut />}
        </div>
      </div>
      <p class="lede">
        Each device randomizes its answers before it sends them. Bars show the estimated share of {whomOf(among)}, whiskers the 95&nbsp;%
        interval.
      </p>
    </header>
  );
}
