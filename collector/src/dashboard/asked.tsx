// The page of an app for the people who use it: what is asked and what that gives away, in the words of its privacy statement, and the versions
// that were asked before. It shows what `/.well-known/murmuration.json` says, and nothing that devices sent.

import { render, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PublicSchema } from '../api/shown.ts';
import { fetchAsked, problemInWords } from './api.ts';
import { dayRange } from './format.ts';
import { Masthead } from './header.tsx';
import { Failed, Loading } from './states.tsx';

/** A schema whose document is known here. */
type Stated = PublicSchema & Required<Pick<PublicSchema, 'statement' | 'epsilon'>>;

const isStated = (schema: PublicSchema): schema is Stated => schema.statement !== undefined && schema.epsilon !== undefined;

/** A question of a statement: its description, its metric, and what is said of it. */
interface Said {
  readonly question: string;
  readonly metric: string;
  readonly sentences: readonly string[];
}

/** The questions of a statement's list: each begins with a dash, and ends with the name of its metric. */
function questionsIn(list: string): readonly Said[] {
  return list.split(/^- /m).flatMap((text): readonly Said[] => {
    const [head = '', ...sentences] = text.split('\n').filter((line) => line !== '');
    const [, question, metric] = /^(.*) \((\S+)\)$/.exec(head) ?? [];
    return question === undefined || metric === undefined ? [] : [{ question, metric, sentences: sentences.map((line) => line.trim()) }];
  });
}

/** e^ε, rounded up to a tenth or, from a hundred on, to a whole number. */
function timesOf(epsilon: string): string {
  const odds = Math.exp(Number(epsilon));
  const step = odds < 100 ? 10 : 1;
  return odds < 1e6 ? (Math.ceil(odds * step) / step).toLocaleString('en') : 'more than a million';
}

const isPublished = ({ document }: PublicSchema, metric: string): boolean =>
  (document as { readonly about?: { readonly [metric: string]: { readonly publish?: boolean } } }).about?.[metric]?.publish === true;

function Question({ schema, app, question, metric, sentences }: Said & { readonly schema: PublicSchema; readonly app: string }): VNode {
  return (
    <article class="card">
      <h3>{question}</h3>
      {sentences.map((sentence) => (
        <p key={sentence} class="verdict">
          {sentence}
        </p>
      ))}
      {isPublished(schema, metric) && (
        <p class="evidence">
          <a href={`public/${app}/${metric}`}>What all answers together say</a>
        </p>
      )}
    </article>
  );
}

const LONG = [
  ['month', '30 days'],
  ['year', '365 days'],
  ['life', '3,650 days'],
] as const;

/** The bounds of all questions together. */
function Together({ epsilon }: Pick<Stated, 'epsilon'>): VNode {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">All questions together, in any</th>
          <th scope="col">Times more confident, at most</th>
          <th scope="col">ε</th>
        </tr>
      </thead>
      <tbody>
        {LONG.map(([name, days]) => (
          <tr key={name}>
            <th scope="row">{days}</th>
            <td>{timesOf(epsilon[name])}</td>
            <td>{(Math.ceil(Number(epsilon[name]) * 1_000) / 1_000).toString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Versions({ schemas }: { readonly schemas: readonly PublicSchema[] }): VNode {
  return (
    <section class="app">
      <h2>Versions</h2>
      {schemas.map(({ schema, inForce, published, retired, fingerprint, changes }) => (
        <article key={schema} class="card">
          <h3>
            {schema} {inForce ? '' : '(ended)'}
          </h3>
          <p class="evidence">
            {published && `Published on ${dayRange(published, published)}. `}
            {retired && `Ended on ${dayRange(retired, retired)}. `}
            {fingerprint && (
              <>
                SHA-256 of its text: <code>{fingerprint}</code>
              </>
            )}
          </p>
          {changes && changes.length > 0 && (
            <ul>
              {changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          )}
        </article>
      ))}
    </section>
  );
}

/** The statement of a schema: a title, paragraphs, and a list that is shown as questions, below the bounds of all of them. */
function Statement({ schema, app }: { readonly schema: Stated; readonly app: string }): VNode {
  const [title = '', ...parts] = schema.statement.split('\n\n');
  return (
    <section class="app">
      <h2>{title}</h2>
      {parts.map((part) =>
        part.startsWith('- ') ? (
          <>
            <div class="card">
              <Together epsilon={schema.epsilon} />
            </div>
            {questionsIn(part).map((said) => (
              <Question key={said.metric} schema={schema} app={app} {...said} />
            ))}
          </>
        ) : (
          <p key={part} class="rest">
            {part}
          </p>
        ),
      )}
    </section>
  );
}

interface State {
  readonly schemas: readonly PublicSchema[] | null;
  readonly problem: unknown;
}

function useSchemas(app: string): State {
  const [state, setState] = useState<State>({ schemas: null, problem: null });
  useEffect(() => {
    const control = new AbortController();
    fetchAsked(control.signal).then(
      ({ apps }) => setState({ schemas: apps.find((each) => each.app === app)?.schemas ?? [], problem: null }),
      (problem: unknown) => control.signal.aborted || setState({ schemas: null, problem }),
    );
    return () => control.abort();
  }, []);
  return state;
}

function Asked({ app }: { readonly app: string }): VNode {
  const { schemas, problem } = useSchemas(app);
  useEffect(() => {
    document.title = `What ${app} asks`;
  }, []);
  if (problem !== null) return <Failed title="No questions" problem={`${problemInWords(problem)} Reload the page to try again.`} />;
  if (schemas === null) return <Loading />;
  const [newest, ...others] = schemas.filter((schema) => schema.inForce).filter(isStated);
  if (newest === undefined) return <Failed title="No questions" problem={`Nothing is asked here for ${app}. The link may be old.`} />;
  return (
    <>
      <Statement schema={newest} app={app} />
      {others.length > 0 && (
        <p class="note">
          Devices that were not updated yet are asked {others.map(({ schema }) => schema).join(', ')}, whose reports are taken, too.
        </p>
      )}
      <Versions schemas={schemas} />
      <p class="note">
        <a href=".well-known/murmuration.json">The same as JSON</a>, with the whole schemas. A reviewer can audit them.
      </p>
    </>
  );
}

function Page(): VNode {
  const [place, app = ''] = location.pathname.slice(new URL(document.baseURI).pathname.length).split('/');
  if (place === 'embed')
    return (
      <main class="embed">
        <Asked app={app} />
      </main>
    );
  return (
    <div class="frame">
      <Masthead lede="Answers are changed at random on each device, before they are stored or sent. Nobody’s own answer is known here.">
        Murmuration
      </Masthead>
      <main>
        <Asked app={app} />
      </main>
    </div>
  );
}

const root = document.getElementById('page');
if (root) {
  root.textContent = '';
  render(<Page />, root);
}
