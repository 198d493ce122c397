/** How many times as much a test tries in the deep tier, which runs some files of `npm test` again (tiers.ts). */

/** The environment variable in which a tier says it. */
export const VARIABLE = 'TEST_EFFORT';

/** Multiplies the rounds of a simulation, or the cases of a property. A gate keeps its size, and sees a smaller fault with more rounds. */
export const EFFORT: number = Number(process.env[VARIABLE] ?? 1);

/** The first of some cases, which differ little in what they find; the deep tier takes all. */
export const first = <T>(cases: readonly T[], count = 1): readonly T[] => (EFFORT > 1 ? cases : cases.slice(0, count));
