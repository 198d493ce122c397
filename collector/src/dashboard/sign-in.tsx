// The page for people who are not signed in: one field for an access token.
// The token is a password to the browser, so that password managers keep it and it is not shown.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { problemInWords, signIn } from './api.ts';

export function SignIn(): VNode {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const token = new FormData(event.currentTarget as HTMLFormElement).get('token');
    setBusy(true);
    try {
      await signIn(String(token).trim());
      location.reload();
    } catch (error) {
      setProblem(problemInWords(error));
      setBusy(false);
    }
  };

  return (
    <form class="panel sign-in" onSubmit={(event) => void submit(event)}>
      <h2>Sign in</h2>
      <label for="token">Access token</label>
      <div class="sign-in-row">
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          placeholder="at_…"
          required
          aria-describedby="token-help"
          aria-invalid={problem !== null}
        />
        <button type="submit" disabled={busy}>
          Sign in
        </button>
      </div>
      <p class="problem" role="alert">
        {problem}
      </p>
      <p id="token-help" class="quiet">
        The collector printed a token when it started for the first time. Anyone who runs it makes one for you with{' '}
        <code>murmuration keys create --role viewer --name NAME</code>.
      </p>
    </form>
  );
}
