/** A text, with its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizeRappor } from '../randomizers/rappor.ts';
import type { DeviceQuestion, TextMechanism } from './question.ts';

/** Asks for a string. `text({ epsilon: 1, description: 'Home page' })` */
export function text(ask: shared.Ask<TextMechanism, string>): DeviceQuestion<string> {
  return { randomizers: { rappor: randomizeRappor }, ...shared.text(ask) };
}
