// The header of both pages: the logo, the one sentence that a reader needs before any number, whether the data is up to date, signing out.

import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Among, Reader } from '../api/shown.ts';
import { fetchReader, signOut } from './api.ts';
import { whomOf } from './explain.ts';
import type { Connection, MetricsState } from './live.ts';

// The logo: a flock of dots that forms one shape. Each dot is x, y and radius.
// It is hidden from screen readers, because it is next to the name.

const FLOCK = [
  [25, 17.2, 2.3],
  [21.5, 21.7, 2.3],
  [31.8, 18.7, 2],
  [30, 14, 1.7],
  [18.3, 26.8, 1.7],
  [13.1, 24.3, 1.7],
  [20.6, 13.6, 1.6],
  [36.4, 19.5, 1.5],
  [30.4, 23.7, 1.5],
  [23.3, 27.3, 1.5],
  [10.8, 30, 1.4],
  [16.9, 15.7, 1.4],
  [24.8, 10.1, 1.3],
  [41.2, 19.8, 1.1],
  [34.6, 23.4, 1.1],
  [28.7, 27.9, 1.1],
  [28.6, 9.8, 1.1],
  [16, 31.1, 1.1],
  [5.2, 34, 1.1],
  [36.1, 15, 1],
  [21, 31.3, 1],
  [13.2, 18.3, 1],
  [8.2, 33, 0.9],
  [7.6, 29, 0.9],
  [25.4, 30.9, 0.9],
  [20.1, 7.9, 0.9],
  [42.6, 22.8, 0.8],
  [38.9, 22.3, 0.8],
  [38.5, 16.7, 0.8],
  [33.9, 12.2, 0.8],
  [8.6, 25.6, 0.8],
  [10.7, 21.3, 0.8],
] as const;

function Logo(): VNode {
  return (
    <svg class="logo" viewBox="3 5 42 32" aria-hidden="true">
      {FLOCK.map(([x, y, radius]) => (
        <circle key={`${x},${y}`} cx={x} cy={y} r={radius} />
      ))}
    </svg>
  );
}

// Whether the numbers follow the collector right now, and if not, how old they are.
// Screen readers announce only changes of state, not each response.

const WORDS: Readonly<Record<Connection, string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost, trying again',
  slow: 'no answer in time, trying again',
  failing: 'the collector answers with an error, trying again',
  paused: 'paused',
  'signed-out': 'signed out',
};

function Live({ state }: { state: MetricsState }): VNode {
  const { connection, answered } = state;
  const time = answered?.toTimeString().slice(0, 8);
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

// The name of the reader who is signed in, and a button to sign out. It is there only for people who signed in on this page:
// an open collector has nobody to sign out, and a proxy's users sign out at the proxy.

export function SignOut(): VNode | null {
  const [reader, setReader] = useState<Reader | null>(null);
  useEffect(() => {
    const control = new AbortController();
    fetchReader(control.signal).then(setReader, () => {}); // without an answer there is no button, and the page works
    return () => control.abort();
  }, []);
  if (reader?.by !== 'session') return null;
  const leave = (): void => {
    const again = (): void => location.reload();
    signOut().then(again, again);
  };
  return (
    <button type="button" class="sign-out" title={`Signed in as ${reader.who}, ${reader.role}`} onClick={leave}>
      Sign out
    </button>
  );
}

interface HeaderProps {
  readonly state: MetricsState;
  readonly among: Among;
  /** The search box. */
  readonly children: ComponentChildren;
}

/** The sentence that a reader needs before any number. */
export const estimatesInWords = (among: Among): string =>
  `Answers are changed at random on each device, so every number is an estimate about ${whomOf(among)}, with its 95\u00a0% range.`;

interface MastheadProps {
  /** The name of the page. */
  readonly children: ComponentChildren;
  /** Below it: what a reader needs to know before any number. */
  readonly lede: ComponentChildren;
  readonly middle?: ComponentChildren;
  readonly end?: ComponentChildren;
  /** True if the name leads to the overview. */
  readonly isLink?: boolean;
}

/** The head of each page. */
export function Masthead({ children, lede, middle, end, isLink }: MastheadProps): VNode {
  const name = (
    <>
      <Logo />
      {children}
    </>
  );
  return (
    <header class="masthead">
      <div class="masthead-row">
        <h1>{isLink ? <a href="./">{name}</a> : name}</h1>
        {middle}
        {end && <div class="masthead-end">{end}</div>}
      </div>
      <p class="lede">{lede}</p>
    </header>
  );
}

export function Header({ state, among, children }: HeaderProps): VNode {
  const end = (
    <>
      <a href="plan">Plan</a>
      <a href="releases.html">Releases</a>
      <Live state={state} />
      {state.connection === 'live' && <SignOut />}
    </>
  );
  return (
    <Masthead lede={estimatesInWords(among)} middle={children} end={end} isLink>
      Murmuration
    </Masthead>
  );
}
