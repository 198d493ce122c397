/** What a secret offset costs, and how many colluders it takes to average it away: the formula, and runs. */

import { seededRng, words } from '@murmuration/client/testing';
import { multiAnalyst } from '@murmuration/examples/attacks/multi-analyst';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { decimal } from '../../collector/release/mechanisms/decimal.ts';

const WIDTHS = [0, 2, 4, 8, 16] as const;
const [EPSILON, BOUND, BETA] = [0.5, 1, 0.05] as const;
const RUNS = 2000;

/** A row for each width. */
export function offsets(): readonly (readonly string[])[] {
  const random = createRandom(words(seededRng(5)));
  const rows = WIDTHS.map((width) => {
    const mechanism = multiAnalyst({ epsilon: decimal(EPSILON, 'ε'), sensitivity: 1, width });
    const { withOffsets } = mechanism.colluders(BOUND, BETA);
    let within = 0;
    for (let run = 0; run < RUNS; run++) {
      let sum = 0;
      for (let i = 0; i < withOffsets; i++) sum += mechanism.release({ value: 0, offset: mechanism.offset(random) }, random);
      within += Number(Math.abs(sum / withOffsets) <= BOUND);
    }
    return [
      String(width),
      Math.sqrt(mechanism.variance).toFixed(2),
      String(mechanism.accuracy(BETA)),
      mechanism.divergence(width).kullbackLeibler.toFixed(2),
      String(withOffsets),
      `${((100 * within) / RUNS).toFixed(1)} %`,
    ];
  });
  return [
    ['offsets up to', 'standard error', `bound, β ${BETA}`, 'KL at that distance', `colluders within ${BOUND}`, 'runs within'],
    ...rows,
  ];
}
