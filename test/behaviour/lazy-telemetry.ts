/** The part of lazy-entry.ts that comes after the agreement. */

import { choice, createTelemetry, defineSchema, flag, type Outcome, type Telemetry } from '@murmuration/client';

declare const outcomes: Outcome[];

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 9, per: 'month' },
  metrics: { dark: flag(ask), plan: choice(['free', 'pro'], ask) },
});

export const telemetry: Telemetry<typeof schema.questions> = createTelemetry({
  schema,
  endpoint: location.origin,
  onOutcome: (outcome) => outcomes.push(outcome),
});
