/** A small app with React: one telemetry, used in two components. */

import { useTelemetry } from '@murmuration/client/react';
import { type FormEvent, useState } from 'react';
import { schema } from './schema.ts';

/** Defined once, outside of components. On a server there is no document, and nothing is sent from there. */
const options = { schema, endpoint: globalThis.document?.documentElement.dataset['collector'] ?? 'https://t.example.com' };

const DIETS = schema.questions.diet.labels() as readonly ('everything' | 'vegetarian' | 'vegan')[];

/** Asks who has not decided, and can be asked to stop. On a server, and for a moment on the page, that is unknown: nothing is asked. */
function Consent() {
  const { consent } = useTelemetry(options);
  return (
    <p id="consent" data-state={consent.state}>
      {consent.state === 'ask' && (
        <>
          May we learn how people cook? Your answers are changed at random before they leave this device.{' '}
          <button type="button" onClick={consent.grant}>
            Share
          </button>{' '}
          <button type="button" onClick={consent.deny}>
            Do not share
          </button>
        </>
      )}
      {consent.state === 'granted' && (
        <>
          You share randomized answers.{' '}
          <button type="button" onClick={consent.deny}>
            Stop sharing
          </button>
        </>
      )}
      {consent.state === 'denied' && (
        <>
          You share nothing.{' '}
          <button type="button" onClick={consent.grant}>
            Share
          </button>
        </>
      )}
    </p>
  );
}

function Settings() {
  const { record, flush } = useTelemetry(options);
  const [diet, setDiet] = useState<(typeof DIETS)[number]>('everything');
  const [metric, setMetric] = useState(true);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    record('diet', diet);
    record('metric', metric);
    void flush();
  };
  return (
    <form onSubmit={save}>
      <label>
        Diet{' '}
        <select value={diet} onChange={({ target }) => setDiet(target.value as typeof diet)}>
          {DIETS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        <input type="checkbox" checked={metric} onChange={({ target }) => setMetric(target.checked)} /> Metric
      </label>
      <button type="submit">Save</button>
    </form>
  );
}

export function App() {
  return (
    <main>
      <h1>Recipes</h1>
      <Consent />
      <Settings />
    </main>
  );
}
