/** The component that asks for consent, for each framework. It shows nothing to people who have decided, and records a first answer. */

const DARK = "matchMedia('(prefers-color-scheme: dark)').matches";
const RECORD = `telemetry.record('darkMode', ${DARK})`;

/** @param isServed true where a server renders components, too */
export const reactConsent = (
  isServed: boolean,
  from: string,
): string => `${isServed ? "'use client';\n\n" : ''}import { Consent as Question } from '@murmuration/client/components/react';
import { useRecordOnce, useTelemetry } from '@murmuration/client/react';
import { options } from '${from}';

const isDark = () => typeof matchMedia === 'function' && ${DARK};

/** Asks people who have not decided, and records a first answer of those who agree. */
export function Consent() {
  useRecordOnce(options, 'darkMode', isDark());
  return <Question telemetry={useTelemetry(options)} />;
}
`;

export const nativeConsent = (from: string): string => `import { useRecordOnce, useTelemetry } from '@murmuration/client/react';
import { Pressable, Text, useColorScheme, View } from 'react-native';
import { options } from '${from}';

/** Asks people who have not decided, and records a first answer of those who agree. */
export function Consent() {
  const { consent } = useTelemetry(options);
  useRecordOnce(options, 'darkMode', useColorScheme() === 'dark');
  if (consent.state !== 'ask') return null;
  return (
    <View>
      <Text>May we learn how you use this app? Your answers are changed at random before they leave this device.</Text>
      <Pressable accessibilityRole="button" onPress={consent.grant}><Text>Share</Text></Pressable>
      <Pressable accessibilityRole="button" onPress={consent.deny}><Text>Do not share</Text></Pressable>
    </View>
  );
}
`;

export const vueConsent = (
  isTyped: boolean,
  from: string,
): string => `<!-- Asks people who have not decided, and records a first answer of those who agree. -->
<script setup${isTyped ? ' lang="ts"' : ''}>
import { Consent } from '@murmuration/client/components/vue';
import { telemetry } from '${from}';

const record = () => ${RECORD};
</script>

<template>
  <Consent :telemetry="telemetry" @granted="record" />
</template>
`;

export const svelteConsent = (
  isTyped: boolean,
  from: string,
): string => `<!-- Asks people who have not decided, and records a first answer of those who agree. -->
<script${isTyped ? ' lang="ts"' : ''}>
  import { Consent } from '@murmuration/client/components/svelte';
  import { telemetry } from '${from}';
</script>

<Consent {telemetry} onGranted={() => ${RECORD}} />
`;

/** @param consent the module that asks */
export const pageConsent = (
  consent: string,
  from: string,
): string => `// Asks people who have not decided, at the end of the page, and records a first answer of those who agree.
import { askConsent } from '${consent}';
import { telemetry } from '${from}';

askConsent({ telemetry, onGranted: () => ${RECORD} });
`;

export const programConsent = (from: string): string => `import { createInterface } from 'node:readline/promises';
import { telemetry } from '${from}';

/** Asks in a terminal, once. */
export async function askConsent() {
  await telemetry.look(); // the storage has answered then
  if (telemetry.consent.state !== 'ask' || !process.stdin.isTTY) return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('May we learn how you use this program? Answers are changed at random first. [y/N] ');
  terminal.close();
  if (/^y/i.test(answer)) telemetry.consent.grant();
  else telemetry.consent.deny();
}
`;
