/**
 * Collusion: analysts put their answers to one question together. A secret offset for each analyst (multi-analyst.ts) makes that take more of
 * them. It does not help against analysts who know their offsets, nor against those who also ask a question whose answer they know and take
 * the difference. The budget of the table is what stops all of them.
 */

import { participation } from '@murmuration/collector';
import { ratio } from '@murmuration/shared';
import { OverBudget } from '../../collector/src/release/budget/limits.ts';
import type { Random } from '../../collector/src/release/mechanisms/random.ts';
import { type Picture, SEED, seededRandom, show } from './attack.ts';
import { multiAnalyst } from './multi-analyst.ts';
import { DAY, rowsOf, schema, withAnalysts } from './participation.ts';

/** Each answer is charged ε 1/10, and offsets go from -100 to 100. */
const EPSILON = ratio(1n, 10n);
const WIDTH = 100;
/** The budget of the table for all analysts together. */
const TABLE = 2n;
const TRUTH = 1000;
const BETA = 0.05;
const RUNS = 400;
const NUMBERS = [2, 8, 32, 128, 512];
const BOUNDS = Array.from({ length: 81 }, (_, i) => 10 ** (i / 40));

const mechanism = multiAnalyst({ epsilon: EPSILON, sensitivity: 1, width: WIDTH });

/** How analysts collude. */
export const WAYS = ['average', 'knowing', 'differences'] as const;
type Way = (typeof WAYS)[number];

/** What one analyst has to say about the truth. The charge of a difference is that of two answers. */
function says(way: Way, random: Random): number {
  const offset = mechanism.offset(random);
  const answer = mechanism.release({ value: TRUTH, offset }, random);
  if (way === 'average') return answer;
  // A platform on which nobody is has 0 reports, as everybody knows.
  return way === 'knowing' ? answer - offset : answer - mechanism.release({ value: 0, offset }, random);
}

/** The formula of colluders: the mechanism's, and for differences that of twice the noise without offsets, a bound √2 times as narrow. */
export function colluders(way: Way, bound: number): number {
  if (way === 'differences') return mechanism.colluders(bound / Math.SQRT2, BETA).without;
  const { withOffsets, without } = mechanism.colluders(bound, BETA);
  return way === 'average' ? withOffsets : without;
}

/** The errors of the mean of so many colluders, in ascending order. */
export function errors(way: Way, number: number, runs: number, seed: number): readonly number[] {
  const random = seededRandom(seed);
  const found = Array.from({ length: runs }, () => {
    let sum = 0;
    for (let i = 0; i < number; i++) sum += says(way, random);
    return Math.abs(sum / number - TRUTH);
  });
  return found.sort((a, b) => a - b);
}

/** What came out. */
export interface Collusion {
  /** By the way of colluding: so many colluders err by at most the bound in 95 % of the runs. */
  readonly measured: { readonly [way in Way]: readonly { readonly number: number; readonly bound: number }[] };
  /** How many analysts got an answer before the budget of the table was spent, and what was left. */
  readonly served: number;
  readonly left: string;
}

/** Lets analysts ask the releases' own count, one after the other, until one is refused. */
function askLedger(seed: number): Promise<Pick<Collusion, 'served' | 'left'>> {
  const analysts = Array.from({ length: 30 }, (_, i) => `analyst ${i}`);
  const question = participation(schema, DAY, DAY).ask((rows) => [rows.count({ epsilon: '1/10' })]);
  return withAnalysts(seededRandom(seed), { analysts, each: 1n, together: TABLE }, rowsOf({ web: { at: TRUTH } }), async (ask) => {
    for (const [served, analyst] of analysts.entries()) {
      try {
        await ask({ analyst, question });
      } catch (error) {
        if (!(error instanceof OverBudget)) throw error;
        return { served, left: error.left };
      }
    }
    throw new RangeError(`expected the budget to refuse one of ${analysts.length} analysts, got answers for all`);
  });
}

/** Carries the attack out. */
export async function attack(seed: number): Promise<Collusion> {
  const measure = (way: Way): Collusion['measured'][Way] =>
    NUMBERS.map((number, i) => ({ number, bound: errors(way, number, RUNS, seed + i)[Math.ceil((1 - BETA) * RUNS) - 1] as number }));
  const measured = { average: measure('average'), knowing: measure('knowing'), differences: measure('differences') };
  return { measured, ...(await askLedger(seed)) };
}

const NAMES = {
  average: ['attacked', 'answers with secret offsets, averaged'],
  knowing: ['ours', 'offsets known and subtracted, or no offsets at all'],
  differences: ['other', 'differences from a question whose answer is known: twice the charge'],
} as const;

/** Draws it. */
export function picture({ measured, served }: Collusion): Picture {
  const [low, high] = [BOUNDS[0] as number, BOUNDS.at(-1) as number];
  const reach = Math.round(BOUNDS.find((bound) => colluders('knowing', bound) <= served) ?? high);
  return {
    sentence:
      `To be within 5 reports of the truth, ${colluders('average', 5)} analysts with secret offsets must average, but only ` +
      `${colluders('differences', 5)} who ask for differences, or ${colluders('knowing', 5)} who know their offsets: the table’s ` +
      `budget, which serves ${served} answers, stops all of them.`,
    charts: [
      {
        title: `Lines: the formula. Dots: what ${RUNS} runs kept`,
        x: {
          title: `error bound that the mean keeps in 95 % of cases, in reports`,
          low,
          high,
          logarithmic: true,
          ticks: [1, 2, 5, 10, 20, 50, 100],
        },
        y: { title: 'colluders needed', low: 1, high: 20_000, logarithmic: true, ticks: [1, 10, 100, 1000, 10_000] },
        series: [
          ...WAYS.map((way) => ({
            name: NAMES[way][1],
            role: NAMES[way][0],
            points: BOUNDS.map((bound) => [bound, colluders(way, bound)] as const),
          })),
          {
            name: `what a budget of ε ${TABLE} serves: ${served} answers of ε 1/10, within ${reach} reports at best`,
            role: 'bound',
            points: [
              [low, served],
              [high, served],
            ],
          },
        ],
        dots: WAYS.map((way) => ({ role: NAMES[way][0], points: measured[way].map(({ number, bound }) => [bound, number] as const) })),
      },
    ],
  };
}

if (import.meta.main) show('collusion', picture(await attack(SEED)));
