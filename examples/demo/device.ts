/** One device of the fleet: the shipping client with a storage of its own. It is done when every report has its answer. */

import { createTelemetry, memoryStorage, type Outcome, type Rng, type Transport } from '@murmuration/client';
import type { Person } from './data.ts';
import { schema } from './schema.ts';

/** What became of a device's reports, by metric. */
export interface Reported {
  readonly delivered: readonly string[];
  /** Everything that did not become an answer of the collector, with its outcome. */
  readonly lost: readonly Outcome[];
}

/** Where a device reports to; a test brings its own transport and randomness. */
export interface Connection {
  readonly endpoint: string;
  readonly transport?: Transport;
  readonly rng?: Rng;
}

/** Answers every question, and waits until each report is delivered or refused: the client retries in between. */
export async function report({ platform, answers }: Person, connection: Connection): Promise<Reported> {
  const delivered: string[] = [];
  const lost: Outcome[] = [];
  let done = (): void => {};
  const settled = new Promise<void>((resolve) => {
    done = resolve;
  });
  const expected = Object.keys(answers).length;
  const telemetry = createTelemetry({
    schema,
    ...connection,
    segment: { platform },
    storage: memoryStorage(),
    onOutcome: (outcome) => {
      if (outcome.result === 'recorded') return;
      if (outcome.result === 'delivered' && outcome.metric !== undefined) delivered.push(outcome.metric);
      else lost.push(outcome);
      if (delivered.length + lost.length === expected) done();
    },
  });
  telemetry.consent.grant();
  telemetry.record('browser', answers.browser);
  telemetry.record('film', answers.film);
  telemetry.record('rain', answers.rain);
  telemetry.record('cylinders', answers.cylinders);
  telemetry.record('word', answers.word);
  telemetry.record('airport', answers.airport);
  telemetry.record('make', answers.make);
  await telemetry.flush();
  await settled;
  await telemetry.close();
  return { delivered, lost };
}
