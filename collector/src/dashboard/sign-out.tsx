// Who is signed in, and a button to sign out. It is there only for people who signed in on this page:
// an open collector has nobody to sign out, and a proxy's users sign out at the proxy.

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Reader } from '../api/shown.ts';
import { fetchReader, signOut } from './api.ts';

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
