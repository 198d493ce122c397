/** The shares of given strings as estimates with intervals. */

import { bytesOfText, type PrefixHashingLaw } from '@murmuration/shared';
import type { Estimate } from '../estimate.ts';
import { THESE } from '../people.ts';
import { Z95 } from '../statistics/normal.ts';
import type { Tallies } from '../tally.ts';
import { levelsIn } from './levels.ts';
import { placed } from './prefix.ts';
import { type Share, shareOf } from './share.ts';

/** A share, if need be moved to 0 or 1. */
export const within = (share: number): number => Math.min(1, Math.max(0, share));

/** The standard error of a share among all users, or with infinitely many people among those who reported. */
export function deviationOf({ share, constant, slope }: Share, people: number): number {
  const f = within(share);
  return Math.sqrt(constant + f * slope + (f * (1 - f)) / people);
}

/** A share with its plain interval. */
export function plain(share: Share, people: number): Estimate {
  const standardError = deviationOf(share, people);
  return { estimate: share.share, standardError, low: share.share - Z95 * standardError, high: share.share + Z95 * standardError };
}

/** The shares of given strings, in their order, whether anybody has them or not. None without reports. */
export function sharesOf(law: PrefixHashingLaw, tallies: Tallies, texts: readonly string[], people: number = THESE): readonly Estimate[] {
  const found = levelsIn(law, tallies);
  if (found.reports === 0) return [];
  const devices = found.levels.map((level) => level.devices);
  return texts.map((text) => plain(shareOf(found, devices, placed(law, bytesOfText(text, law.longest))), people));
}
