// Placeholders for numbers: loading, how far a decode is, nothing yet, too little, failed. Each says what to do or to expect.
// None of them looks like data.

import type { VNode } from 'preact';
import type { Estimates, Metric, Progress } from '../api/shown.ts';
import { useTitle } from './address.ts';
import { collectorAddress } from './api.ts';
import { count, reportCount } from './format.ts';

export function Loading(): VNode {
  return (
    <div class="panel" role="status">
      <p>Asking the collector…</p>
      <LoadingBars />
    </div>
  );
}

export function LoadingBars(): VNode {
  return (
    <div class="loading" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}

export function NoMetrics(): VNode {
  return (
    <div class="panel">
      <h2>No questions here</h2>
      <p>No schema is published, or your token is for an app that has none. Questions appear here as soon as one is.</p>
    </div>
  );
}

/** Parts of an address that nothing here has: an old link may name them. */
export function Gone({ parts }: { parts: readonly string[] }): VNode | null {
  if (parts.length === 0) return null;
  return (
    <p class="gone" role="status">
      This link asks for what is not here any more: <strong>{parts.join(', ')}</strong>. {parts.length === 1 ? 'It is' : 'They are'} left
      out, so you see more than was meant.
    </p>
  );
}

interface NoQuestionProps {
  readonly name: string;
  /** Null where several apps ask a question of this name. */
  readonly app: string | null;
  /** Questions of this name in other apps. */
  readonly others: readonly Metric[];
  readonly pathOf: (metric: Metric) => string;
}

/** In place of a question that is not there. */
export function NoQuestion({ name, app, others, pathOf }: NoQuestionProps): VNode {
  useTitle('No such question');
  return (
    <div class="panel">
      <h2>{app === null && others.length > 1 ? 'Which app?' : 'No such question'}</h2>
      {app === null && others.length > 1 ? (
        <p>
          Several apps ask <code>{name}</code>:
        </p>
      ) : (
        <p>
          {app ?? 'No app'} {app === null ? 'asks' : 'does not ask'} <code>{name}</code>. The link may be old, or you may see other apps.
          {others.length > 0 && ' Questions of this name:'}
        </p>
      )}
      {others.length > 0 && (
        <ul>
          {others.map((metric) => (
            <li key={metric.app}>
              <a href={pathOf(metric)}>
                {metric.app}: {metric.description || metric.metric}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function NoReports({ app }: { app: string }): VNode {
  const example = `const telemetry = createTelemetry({ schema, endpoint: '${collectorAddress()}' });`;
  return (
    <div class="panel">
      <h2>No reports yet</h2>
      <p>Point a client at this address, and its first reports show up here within seconds:</p>
      <pre>
        <code>{example}</code>
      </pre>
      <p class="note">
        Unless the collector runs with <code>--open</code>, add the app’s write key as <code>key</code>:{' '}
        <code>murmuration keys create --app {app}</code>
      </p>
    </div>
  );
}

export function NoReportsHere({ metric, someReports }: { metric: Metric; someReports: boolean }): VNode {
  if (metric.reports > 0) return <p class="quiet">No reports in this part. Choose other days or values under “What is counted”.</p>;
  if (!someReports) return <p class="quiet">No reports yet.</p>;
  return (
    <p class="quiet">
      No reports yet, though other questions have some. Does the app record <code>{metric.metric}</code>?
    </p>
  );
}

export function TooFew({ estimates }: { estimates: Pick<Estimates, 'reports' | 'minimum'> }): VNode {
  const { reports, minimum } = estimates;
  if (reports >= minimum) return <p class="quiet">{reportCount(reports)}, but no candidates to look for. Give the collector a list.</p>;
  return (
    <div class="quiet">
      <p>
        Not enough reports yet: {count(reports)} came, and estimates are shown from {count(minimum)} on. The limit is for readability. It
        hides nobody.
      </p>
      <progress value={reports} max={minimum} aria-label="Reports on the way to a first estimate" />
    </div>
  );
}

export function Failed({ title, problem }: { title: string; problem: string }): VNode {
  return (
    <div class="panel panel-problem">
      <p>
        <strong>{title}.</strong> {problem}
      </p>
    </div>
  );
}

// How far a long decode is, in words and as a bar; before anything is known, the usual placeholder.

/** A stage in words, which screen readers read aloud. So they do not change all the time. */
function inWords(progress: Progress): string {
  switch (progress.stage) {
    case 'waiting':
      return 'Waiting for the collector to be free…';
    case 'reading':
      return 'Reading the reports…';
    case 'hashing':
      return `Preparing ${count(progress.candidates)} strings to look for…`;
    case 'decoding':
      return `Looking for ${count(progress.candidates)} strings in the reports…`;
    case 'searching': {
      const { search, found } = progress;
      return search === 1 ? 'Looking for strings…' : `${count(found)} ${found === 1 ? 'string' : 'strings'} found. Looking for more…`;
    }
  }
}

/** How much of a stage is done, where that is known. */
function howFar(progress: Progress): { readonly value?: number; readonly max?: number } {
  if (progress.stage === 'hashing') return { value: progress.done, max: progress.candidates };
  return progress.stage === 'searching' ? { value: progress.length, max: progress.longest } : {};
}

/** Details of the progress of a decode or a search. */
function detailOf(progress: Progress): string | undefined {
  if (progress.stage === 'decoding' && progress.steps > 0) return `Step ${progress.steps}`;
  if (progress.stage !== 'searching') return undefined;
  const { length, longest, kept } = progress;
  return `${length} of ${longest} bytes, ${count(kept)} beginnings still possible`;
}

export function Decoding({ progress }: { progress: Progress | null }): VNode {
  if (progress === null) return <LoadingBars />;
  const known = howFar(progress);
  const words = inWords(progress);
  const detail = detailOf(progress);
  return (
    <div class="quiet decoding" role="status">
      <p>{words}</p>
      <progress {...known} aria-label={words} />
      {detail && (
        <p class="note" aria-hidden="true">
          {detail}
        </p>
      )}
    </div>
  );
}
