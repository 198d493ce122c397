/** A flag, with its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizeKAry } from '../randomizers/k-ary.ts';
import type { DeviceQuestion, ListAsk } from './question.ts';

/** Asks for yes or no. `flag({ epsilon: 1, description: 'Is dark mode on?' })` */
export function flag(ask: ListAsk<boolean>): DeviceQuestion<boolean> {
  return { randomizers: { 'k-ary': randomizeKAry }, ...shared.flag(ask) };
}
