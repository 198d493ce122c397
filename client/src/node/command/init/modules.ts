/** The modules that `init` writes for every framework: the schema, the telemetry and a test. */

/** @param from the package, or the script that a page loads in its place */
export const schemaModule = (app: string, from: string): string => `// The questions. The collector reads this file, too.
import { choice, defineSchema, flag } from '${from}';

export const schema = defineSchema({
  app: '${app}',
  version: 1, // a new one with each change of a question
  budget: { epsilon: 2, per: 'year' },
  metrics: {
    darkMode: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
  },
});
`;

/** The line of an endpoint. */
const endpointLine = (endpoint: string): string =>
  `endpoint: '${endpoint}', // of the collector; before you ship, add its public write key as \`key\``;

/** Options for hooks, which create the telemetry when the first component is mounted. */
export const optionsModule = (endpoint: string, schema: string): string => `// The options of useTelemetry, once for the app.
import { schema } from '${schema}';

export const options = {
  schema,
  ${endpointLine(endpoint)}
};
`;

/** For phones. Pages of the same app take the module that ends in `.web`. */
export const expoModule = (endpoint: string, schema: string): string => `// The options of useTelemetry on phones, once for the app.
import { appStateLifecycle, sqliteStorage } from '@murmuration/client/react-native';
import { getRandomValues } from 'expo-crypto';
import { openDatabaseSync } from 'expo-sqlite';
import { AppState } from 'react-native';
import { schema } from '${schema}';

export const options = {
  schema,
  ${endpointLine(endpoint)}
  storage: sqliteStorage(() => openDatabaseSync('telemetry.db')), // a database of its own
  lifecycle: appStateLifecycle(AppState),
  rng: getRandomValues, // the system's randomness, which Hermes lacks
};
`;

export const nativeModule = (endpoint: string, schema: string): string => `// The options of useTelemetry, once for the app.
import 'react-native-get-random-values'; // the system's randomness, which Hermes lacks
import AsyncStorage from '@react-native-async-storage/async-storage';
import { appStateLifecycle, asyncStorage } from '@murmuration/client/react-native';
import { AppState } from 'react-native';
import { schema } from '${schema}';

export const options = {
  schema,
  ${endpointLine(endpoint)}
  storage: asyncStorage(AsyncStorage),
  lifecycle: appStateLifecycle(AppState),
};
`;

/** @param from the package, or the script that a page loads in its place */
export const telemetryModule = (
  endpoint: string,
  schema: string,
  from: string,
): string => `// The app's telemetry, created once. Nothing is stored or sent before telemetry.consent.grant().
import { createTelemetry } from '${from}';
import { schema } from '${schema}';

export const telemetry = createTelemetry({
  schema,
  ${endpointLine(endpoint)}
});
`;

export const programModule = (
  app: string,
  endpoint: string,
  schema: string,
): string => `// The program's telemetry, created once. Nothing is stored or sent before telemetry.consent.grant().
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry } from '@murmuration/client';
import { fileStorage, nodeClock, nodeLifecycle } from '@murmuration/client/node';
import { schema } from '${schema}';

export const telemetry = createTelemetry({
  schema,
  ${endpointLine(endpoint)}
  storage: fileStorage(join(homedir(), '.${app}', 'telemetry')),
  lifecycle: nodeLifecycle,
  clock: nodeClock,
});
`;

/** Where \`test\` comes from, by the runner. */
const RUNNERS = { vitest: 'vitest', jest: '@jest/globals', node: 'node:test' } as const;

export const testModule = (
  runner: keyof typeof RUNNERS,
  schema: string,
): string => `// The app's questions, answered on a device of a test. @murmuration/client/testing has more.
import { createTelemetry, memoryStorage } from '@murmuration/client';
import { assertAnswered, assertRecorded, memoryTransport, recording, seededRng } from '@murmuration/client/testing';
import { test } from '${RUNNERS[runner]}';
import { schema } from '${schema}';

test('a plan is recorded when the person has agreed, and sent', async () => {
  const sent = memoryTransport(schema);
  const { transport } = sent;
  const storage = memoryStorage();
  const telemetry = recording(createTelemetry({ schema, endpoint: '/', storage, transport, rng: seededRng(1), debug: false }));
  telemetry.consent.grant();
  telemetry.record('plan', 'pro');
  assertAnswered(telemetry, 'plan', 'pro');
  await telemetry.flush();
  await assertRecorded(sent, 'plan');
  await telemetry.close();
});
`;
