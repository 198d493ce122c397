/**
 * Code that only some options need, one part for each. `createTelemetry` carries all of them, and the build plugin writes those that a call
 * names.
 */

import { BATCHES_PER_DAY, DAYS, type MetricDocument } from '@murmuration/shared';
import { privacyControl } from './adapters/lifecycle.ts';
import type { OptionPart } from './device.ts';

/** The most days that the `later` option draws from. */
const LATER = 30;

/** For `key`. */
export const identifying: OptionPart = ({ key }) => (key ? { query: `?key=${encodeURIComponent(key)}` } : {});

/** For `consent`. Global Privacy Control turns `granted` into `denied`. */
export const consenting: OptionPart = ({ consent: fallback = 'ask' }) => ({
  fallback: fallback === 'granted' && privacyControl() ? 'denied' : fallback,
});

/** For `upload` and `batchesPerDay`. With no batch a search for a day would not end. */
export const batching: OptionPart = ({ upload, batchesPerDay }) =>
  upload === 'later'
    ? {
        perDay: Math.max(1, batchesPerDay ?? 1),
        later: ({ metrics }, metric) => Math.min(DAYS[(metrics[metric] as MetricDocument).every], LATER),
      }
    : { perDay: Math.max(1, batchesPerDay ?? BATCHES_PER_DAY) };

/** For `sampleRate`. The draw is stored. */
export const sampling: OptionPart = ({ sampleRate = 1 }) =>
  sampleRate < 1
    ? {
        isLeftOut: ({ uniform }, state) => {
          state.draw ??= uniform(2 ** 32);
          return state.draw >= sampleRate * 2 ** 32;
        },
      }
    : {};
