/**
 * Averaging: whoever gets fresh noise for the same question again and again averages it away. Releases repeat a stored answer, and charge for
 * a new one until the budget is spent.
 */

import { participation } from '@murmuration/collector';
import { OverBudget } from '../../collector/src/release/budget/limits.ts';
import { mostRight, type Picture, SEED, seededRandom, show } from './attack.ts';
import { percent, percentAtMost } from './figure.ts';
import { DAY, drawing, rowsOf, schema, withAnalysts } from './participation.ts';

/** ε of one answer is 1/5, and an analyst's budget is ε 1. */
const EPSILON = '1/5';
const BUDGET = 1n;
/** The count without and with the device that the attackers look for. */
const COUNTS = [1000, 1001] as const;

const ATTACKERS = 300;
const ASKS = 2000;
/** Analysts who ask a ledger on a disk, and how often each repeats the question. */
const ANALYSTS = 4;
const REPEATS = 20;
/** Attackers who get as many answers as the ledger gave. */
const CHARGED = 4000;

const question = participation(schema, DAY, DAY).ask((rows) => [rows.count({ epsilon: EPSILON })]);

/** Whether attackers say rightly, after so many answers, if the device took part. */
interface Right {
  readonly answers: number;
  readonly right: number;
  readonly attackers: number;
}

/** What an analyst got from a ledger. */
interface Got {
  /** Different answers, that is, those that were charged. */
  readonly answers: number;
  /** Repetitions that gave the same number. */
  readonly repeated: number;
  /** What the refusal said was left. */
  readonly left: string;
}

/** What came out. */
export interface Averaging {
  /** Fresh noise for every question. */
  readonly fresh: readonly Right[];
  readonly got: readonly Got[];
  /** The answers that a ledger gives. */
  readonly charged: readonly Right[];
  readonly budget: number;
}

/** Lets attackers guess from the mean of answers, half of them in either world. */
function guess(attackers: number, numbers: readonly number[], seed: number): readonly Right[] {
  const [random, draw] = [seededRandom(seed), drawing(question)];
  const worlds = COUNTS.map((count) => rowsOf({ web: { at: count } }));
  const right = numbers.map(() => 0);
  for (let attacker = 0; attacker < attackers; attacker++) {
    const world = attacker % 2;
    let [sum, answers] = [0, 0];
    for (const [i, number] of numbers.entries()) {
      for (; answers < number; answers++) sum += draw(worlds[world] as (typeof worlds)[number], random);
      if (Number(sum / number > (COUNTS[0] + COUNTS[1]) / 2) === world) right[i] = (right[i] as number) + 1;
    }
  }
  return numbers.map((answers, i) => ({ answers, right: right[i] as number, attackers }));
}

/** Each analyst asks, repeats the question, and pays for new answers until that is refused. */
function askLedger(seed: number): Promise<readonly Got[]> {
  const analysts = Array.from({ length: ANALYSTS }, (_, i) => `analyst ${i}`);
  return withAnalysts(seededRandom(seed), { analysts, each: BUDGET }, rowsOf({ web: { at: COUNTS[1] } }), async (ask) => {
    const all: Got[] = [];
    for (const analyst of analysts) {
      const { entry } = await ask({ analyst, question });
      let [answers, repeated] = [1, 0];
      for (let repeat = 0; repeat < REPEATS; repeat++) if ((await ask({ analyst, question })).entry.hash === entry.hash) repeated++;
      try {
        for (; ; answers++) await ask({ analyst, question, again: true });
      } catch (error) {
        if (!(error instanceof OverBudget)) throw error;
        all.push({ answers, repeated, left: error.left });
      }
    }
    return all;
  });
}

/** Carries the attack out. */
export async function attack(seed: number): Promise<Averaging> {
  const got = await askLedger(seed);
  const most = Math.max(...got.map(({ answers }) => answers));
  return {
    fresh: guess(ATTACKERS, [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, ASKS], seed + 1),
    got,
    charged: guess(
      CHARGED,
      Array.from({ length: most }, (_, i) => i + 1),
      seed + 2,
    ),
    budget: Number(BUDGET),
  };
}

const shareOf = ({ right, attackers }: Right): number => right / attackers;

/** Draws it. */
export function picture({ fresh, charged, budget }: Averaging): Picture {
  const [first, last, worst] = [charged[0] as Right, charged.at(-1) as Right, fresh.at(-1) as Right];
  const bound = mostRight(budget);
  const from = (each: Right): readonly (readonly [number, number])[] => [
    [each.answers, shareOf(each)],
    [ASKS, shareOf(each)],
  ];
  return {
    sentence:
      `With fresh noise each time, ${percent(shareOf(worst))} of attackers learn from ${ASKS.toLocaleString('en')} answers whether one ` +
      `device took part; a stored answer leaves them at ${percent(shareOf(first))}, and new ones, which are charged, at ` +
      `${percent(shareOf(last))}.`,
    charts: [
      {
        x: { title: 'times the same question is asked', low: 1, high: ASKS, logarithmic: true, ticks: [1, 10, 100, 1000] },
        y: { title: 'attackers who are right', low: 0.4, high: 1, ticks: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1], label: percent },
        series: [
          {
            name: `fresh noise each time, ε ${EPSILON}, and nobody keeps count`,
            role: 'attacked',
            points: fresh.map((each) => [each.answers, shareOf(each)]),
          },
          { name: `the stored answer, repeated: ε ${EPSILON} in all`, role: 'ours', points: from(first) },
          {
            name: `new answers, charged: refused after ${last.answers}, when ε ${budget} is spent`,
            role: 'other',
            points: [...charged.slice(0, -1).map((each) => [each.answers, shareOf(each)] as const), ...from(last)],
          },
          {
            name: `the most that ε ${budget} allows any attacker: ${percentAtMost(bound)}`,
            role: 'bound',
            points: [
              [1, bound],
              [ASKS, bound],
            ],
          },
        ],
      },
    ],
  };
}

if (import.meta.main) show('averaging', picture(await attack(SEED)));
