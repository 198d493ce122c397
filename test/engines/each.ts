/** The same tests for each engine, one engine after the other: two cores have no room for three browsers beside the other files' processes. */

import { describe, type ExpectStatic, expect, test } from 'vitest';
import type { Engine } from './engine.ts';
import { engines } from './engines.ts';

/** Declares a test of an engine. */
type Declare = (name: string, run: (context: { readonly expect: ExpectStatic }) => Promise<void>) => void;

const inOrder: Declare = (name, run) => test(name, () => run({ expect }));

/** Declares the same tests for each engine. */
export const inEachEngine = (declare: (engine: Engine, test: Declare) => void): void =>
  describe.each(engines)('$name', (engine) => declare(engine, inOrder));
