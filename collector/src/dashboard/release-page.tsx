// The page of releases: an editor that shows cost and error before anything is spent, the answers so far, and the budgets.

import { render, type VNode } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Release, ReleaseTable, StreamWithAnswers } from '../api/shown.ts';
import { isSignedOut, problemInWords } from './api.ts';
import { Masthead, SignOut } from './header.tsx';
import { Answers } from './release-answers.tsx';
import { fetchAnswers, fetchStreams, fetchTables } from './release-api.ts';
import { Editor } from './release-editor.tsx';
import { Streams } from './release-streams.tsx';
import { SignIn } from './sign-in.tsx';
import { Failed, Loading } from './states.tsx';

// Spending by analyst: each budget with a bar of what is spent of it on its worst day.

type Budget = ReleaseTable['budgets'][number];

const SIGNS = { epsilon: 'ε', rho: 'ρ' } as const;

/** The value of a decimal or a fraction, for the length of a bar. What is unbounded fills it. */
function sizeOf(text: string): number {
  const [above = 0, below = 1] = text.split('/').map(Number);
  return Number.isFinite(above / below) ? above / below : Number.MAX_VALUE;
}

const textOf = (limit: Budget['limit']): string => (limit === null ? 'none' : `${SIGNS[limit.unit]} ${limit.amount}`);

function Row({ analyst, limit, spent, colluders }: Budget & { colluders: ReleaseTable['colluders'] }): VNode {
  const who = analyst ?? (colluders === 'all' ? 'all analysts together' : `any ${colluders} analysts together`);
  return (
    <tr>
      <th scope="row">{who}</th>
      <td>
        <progress value={sizeOf(spent.amount)} max={limit === null ? 1 : sizeOf(limit.amount)} aria-label={`Spent by ${who}`} />
      </td>
      <td>
        {textOf(spent)} of {textOf(limit)}
      </td>
    </tr>
  );
}

function Budgets({ tables }: { tables: readonly ReleaseTable[] }): VNode {
  return (
    <section class="app" aria-labelledby="budgets">
      <h2 id="budgets">Who spent what</h2>
      {tables.map(({ app, budgets, colluders, bound }) => (
        <div key={app} class="panel release-panel">
          <h3>{app}</h3>
          <table>
            <tbody>
              {budgets.map((budget) => (
                <Row key={budget.analyst} {...budget} colluders={colluders} />
              ))}
            </tbody>
          </table>
          <p class="quiet">
            A budget holds for each day of the table; this is the day on which most was spent. One device adds at most {bound}{' '}
            {bound === 1 ? 'report' : 'reports'} to a day.
          </p>
        </div>
      ))}
    </section>
  );
}

interface State {
  readonly tables: readonly ReleaseTable[];
  readonly answers: readonly Release[];
  readonly streams: readonly StreamWithAnswers[];
}

type Seen = State | 'loading' | 'signed-out' | { readonly problem: string };

function ReleasePage(): VNode {
  const [seen, setSeen] = useState<Seen>('loading');
  const load = useCallback((signal: AbortSignal): void => {
    Promise.all([fetchTables(signal), fetchAnswers(signal), fetchStreams(signal)]).then(
      ([tables, answers, streams]) => setSeen({ tables, answers, streams }),
      (problem: unknown) => {
        if (!signal.aborted) setSeen(isSignedOut(problem) ? 'signed-out' : { problem: problemInWords(problem) });
      },
    );
  }, []);
  useEffect(() => {
    const control = new AbortController();
    load(control.signal);
    return () => control.abort();
  }, [load]);

  return (
    <div class="frame">
      <Masthead
        lede="Counts of devices, with noise, that may leave the team. Each answer is charged to a budget. The same question again costs nothing."
        end={
          <>
            <a href="./">Dashboard</a>
            {typeof seen === 'object' && 'tables' in seen && <SignOut />}
          </>
        }
      >
        Releases
      </Masthead>
      <main>
        {seen === 'loading' ? (
          <Loading />
        ) : seen === 'signed-out' ? (
          <SignIn />
        ) : 'problem' in seen ? (
          <Failed title="No tables" problem={seen.problem} />
        ) : (
          <Tables {...seen} onAnswer={() => load(new AbortController().signal)} />
        )}
      </main>
    </div>
  );
}

function Tables({ tables, answers, streams, onAnswer }: State & { onAnswer: () => void }): VNode {
  if (tables.length === 0)
    return (
      <div class="panel">
        <h2>No table has a budget yet</h2>
        <p>An operator sets the budget of an app’s table, and then those of its analysts:</p>
        <pre>
          <code>
            {'murmuration release budget set --app APP --epsilon 2\nmurmuration release budget set --app APP --analyst NAME --epsilon 1'}
          </code>
        </pre>
      </div>
    );
  return (
    <>
      <Editor tables={tables} onAnswer={onAnswer} />
      <Answers answers={answers} />
      <Streams streams={streams} />
      <Budgets tables={tables} />
    </>
  );
}

const root = document.getElementById('page');
if (root) {
  root.textContent = '';
  render(<ReleasePage />, root);
}
