// Streams of questions: what each was opened for, how far it has come, and its answers.

import type { VNode } from 'preact';
import type { StreamAnswer, StreamWithAnswers } from '../api/shown.ts';
import { costInWords } from '../api/shown-releases.ts';
import { count, dayRange } from './format.ts';

const number = (value: number): string => count(value).replace('-', '\u2212');

/** The conditions of a question in words. */
function inWords({ where }: StreamAnswer, columns: StreamWithAnswers['columns']): string {
  const conditions = columns.flatMap(({ name }) => {
    const asked = where[name];
    return asked === undefined ? [] : `${name} ${asked.map((value) => value || '(none)').join(' or ')}`;
  });
  return conditions.length === 0 ? 'all reports' : conditions.join(', ');
}

function Answered({ stream }: { stream: StreamWithAnswers }): VNode {
  const { answers, answered, columns } = stream;
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">Question</th>
            <th scope="col">Asked by</th>
            <th scope="col" class="release-number">
              Reports
            </th>
          </tr>
        </thead>
        <tbody>
          {answers.map((answer) => (
            <tr key={answer.entry.n}>
              <td>{inWords(answer, columns)}</td>
              <td>{answer.analyst}</td>
              <td class="release-number">{number(answer.value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {answers.length < answered && (
        <p class="quiet">
          The last {count(answers.length)} of {count(answered)} answers. The API gives all of them.
        </p>
      )}
    </>
  );
}

function OneStream({ stream }: { stream: StreamWithAnswers }): VNode {
  const { app, from, to, analysts, total, within, queries, answered, hardLeft, cost, ended } = stream;
  return (
    <article class="panel release-panel">
      <h3>
        Stream {stream.stream}: {app}, {dayRange(from, to)}
      </h3>
      <p class="quiet">
        About {number(total)} reports. {analysts.join(', ')} may ask and paid {costInWords(cost)} for each device-day.{' '}
        {ended === undefined
          ? `${count(queries - answered)} questions are left, and ${count(hardLeft)} of them may be hard.`
          : `It answers no new questions: ${ended}.`}
      </p>
      {stream.answers.length > 0 && <Answered stream={stream} />}
      <p class="quiet">
        With a probability of 95&nbsp;%, no answer is off by more than {number(Math.ceil(within))}. Ask by{' '}
        <code>murmuration release stream ask</code> or the API.
      </p>
    </article>
  );
}

/** The streams that the reader may see; nothing where there are none. */
export function Streams({ streams }: { streams: readonly StreamWithAnswers[] }): VNode | null {
  if (streams.length === 0) return null;
  return (
    <section class="app" aria-labelledby="streams">
      <h2 id="streams">Streams of questions</h2>
      {streams.map((stream) => (
        <OneStream key={stream.stream} stream={stream} />
      ))}
    </section>
  );
}
