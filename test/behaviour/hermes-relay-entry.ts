/** A report through a relay in Hermes, which prints what it sent. What Node's run was given and answered is put in when this is bundled. */

import { type Answer, type Given, relayed } from './relayed.ts';

declare const GIVEN: Given;
declare const ANSWERS: readonly Answer[];
declare const print: (line: string) => void;

Object.assign(globalThis, { AbortSignal: {} }); // React Native has one
let asked = 0;
relayed(GIVEN, () => ANSWERS[asked++] as Answer).then(
  (sent) => print(JSON.stringify(sent)),
  (error: unknown) => print(JSON.stringify(`${error} ${error instanceof Error ? error.stack : ''}`)),
);
