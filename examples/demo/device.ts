/** One device of the fleet: the shipping client with a storage of its own. It is done when every report has its answer. */

import { type Clock, createTelemetry, memoryStorage, type Outcome, type Rng, type Transport } from '@murmuration/client';
import { experiment } from '@murmuration/client/recipes';
import { relayTransport } from '@murmuration/client/relay';
import type { Answers, Device, Name, People } from './data.ts';
import { ARMS, relayed, schema } from './schema.ts';
import { MISSING, SILENT } from './story.ts';

/** What became of a device's reports, by metric. */
export interface Reported {
  readonly device: Device;
  readonly answers: Answers;
  readonly delivered: readonly Name[];
  /** Everything that did not become an answer of the collector, with its outcome. */
  readonly lost: readonly Outcome[];
}

/** Where a device reports to; a test brings its own transport and randomness. */
export interface Connection {
  readonly endpoint: string;
  readonly transport?: Transport;
  readonly rng?: Rng;
  readonly relay?: Relayed;
}

/** The relay that reports go through, and the collector's key. */
export interface Relayed {
  readonly address: string;
  readonly keys: string;
}

const DAY = 86_400_000;

/**
 * Days that pass in no time. A device sends one report in a quiet time, and each at a random moment of the day after; in the demo, these
 * days are over at the next flush.
 */
function hurried({ address, keys }: Relayed): {
  readonly options: { readonly clock: Clock; readonly transport: Transport };
  readonly nextDay: () => void;
} {
  let days = 0;
  const now = (): number => Date.now() + days * DAY;
  return {
    options: {
      clock: { now, after: () => () => undefined },
      transport: relayTransport({ schema: relayed, relay: address, keys, hours: 0, now: () => now() + DAY }),
    },
    nextDay: () => {
      days++;
    },
  };
}

/** What release 2.0 still records. */
const recorded = (Object.keys(schema.questions) as Name[]).filter((metric) => metric !== SILENT.metric && metric !== MISSING.metric);

/** Answers every question in release 2.0, and waits until each report is delivered or refused: the client retries in between. */
export async function report({ device: next, answers: draw }: People, { rng, relay, ...connection }: Connection): Promise<Reported> {
  const device = next();
  const random = rng === undefined ? {} : { rng };
  const asked = relay ? relayed : schema;
  const hurry = relay && hurried(relay);
  const search = experiment(asked, 'search', ARMS, { storage: memoryStorage(), ...random });
  const arm = await search.arm();
  const answers = draw(device, '2.0', arm);
  const delivered: Name[] = [];
  const lost: Outcome[] = [];
  let done = (): void => {};
  const settled = new Promise<void>((resolve) => {
    done = resolve;
  });
  const telemetry = createTelemetry({
    schema: asked,
    ...connection,
    ...random,
    ...hurry?.options,
    segment: { platform: device.platform, version: '2.0', search: arm },
    storage: search.storage,
    onOutcome: (outcome) => {
      if (outcome.result === 'recorded') return;
      if (outcome.result === 'delivered' && outcome.metric !== undefined) delivered.push(outcome.metric as Name);
      else lost.push(outcome);
      if (delivered.length + lost.length === recorded.length) done();
    },
  });
  const record = <M extends Name>(metric: M): void => telemetry.record(metric, answers[metric]);
  telemetry.consent.grant();
  for (const metric of recorded) record(metric);
  await telemetry.flush();
  while (hurry && delivered.length + lost.length < recorded.length) {
    hurry.nextDay();
    await telemetry.flush();
  }
  await settled;
  await telemetry.close();
  return { device, answers, delivered, lost };
}
