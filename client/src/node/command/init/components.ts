/** The component that asks for consent, for each framework. It shows nothing to people who have decided, and records a first answer. */

const QUESTION = 'May we learn how you use this app? Your answers are changed at random before they leave this device.';
const DARK = "matchMedia('(prefers-color-scheme: dark)').matches";

/** @param isServed true where a server renders components, too */
export const reactConsent = (
  isServed: boolean,
  from: string,
): string => `${isServed ? "'use client';\n\n" : ''}import { useRecordOnce, useTelemetry } from '@murmuration/client/react';
import { options } from '${from}';

const isDark = () => typeof matchMedia === 'function' && ${DARK};

/** Asks people who have not decided, and records a first answer of those who agree. */
export function Consent() {
  const { consent } = useTelemetry(options);
  useRecordOnce(options, 'darkMode', isDark());
  if (consent.state !== 'ask') return null;
  return (
    <section aria-label="Share randomized answers">
      <p>${QUESTION}</p>
      <button type="button" onClick={consent.grant}>Share</button>
      <button type="button" onClick={consent.deny}>Do not share</button>
    </section>
  );
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
      <Text>${QUESTION}</Text>
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
import { onMounted, onUnmounted, ref } from 'vue';
import { telemetry } from '${from}';

const consent = ref${isTyped ? '<typeof telemetry.consent.state>' : ''}('unknown');
const update = () => {
  consent.value = telemetry.consent.state;
  if (consent.value === 'granted') telemetry.record('darkMode', ${DARK});
};
let stop = () => {};
onMounted(() => {
  stop = telemetry.consent.subscribe(update);
  update();
});
onUnmounted(() => stop());
</script>

<template>
  <section v-if="consent === 'ask'" aria-label="Share randomized answers">
    <p>${QUESTION}</p>
    <button type="button" @click="telemetry.consent.grant()">Share</button>
    <button type="button" @click="telemetry.consent.deny()">Do not share</button>
  </section>
</template>
`;

/** The telemetry is imported when the component is mounted, so that a server never creates one. */
export const svelteConsent = (
  isTyped: boolean,
  from: string,
): string => `<!-- Asks people who have not decided, and records a first answer of those who agree. -->
<script${isTyped ? ' lang="ts"' : ''}>
  import { onMount } from 'svelte';

  let consent = $state${isTyped ? "<import('@murmuration/client').Consent | undefined>" : ''}();
  let isAsked = $state(false);
  onMount(() => {
    let stop = () => {};
    import('${from}').then(({ telemetry }) => {
      const update = () => {
        isAsked = telemetry.consent.state === 'ask';
        if (telemetry.consent.state === 'granted') telemetry.record('darkMode', ${DARK});
      };
      consent = telemetry.consent;
      stop = consent.subscribe(update);
      update();
    });
    return () => stop();
  });
</script>

{#if isAsked}
  <section aria-label="Share randomized answers">
    <p>${QUESTION}</p>
    <button type="button" onclick={() => consent?.grant()}>Share</button>
    <button type="button" onclick={() => consent?.deny()}>Do not share</button>
  </section>
{/if}
`;

export const pageConsent = (
  isTyped: boolean,
  from: string,
): string => `// Asks people who have not decided, at the end of the page, and records a first answer of those who agree.
import { telemetry } from '${from}';

const element = (name${isTyped ? ': string' : ''}, text = '') => Object.assign(document.createElement(name), { textContent: text });
const [share, refuse] = [element('button', 'Share'), element('button', 'Do not share')];
share.addEventListener('click', () => telemetry.consent.grant());
refuse.addEventListener('click', () => telemetry.consent.deny());
const question = element('section');
question.setAttribute('aria-label', 'Share randomized answers');
question.append(element('p', '${QUESTION}'), share, refuse);
const update = () => {
  question.hidden = telemetry.consent.state !== 'ask';
  if (telemetry.consent.state === 'granted') telemetry.record('darkMode', ${DARK});
};
document.body.append(question);
telemetry.consent.subscribe(update);
update();
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
