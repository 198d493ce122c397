/** `node test/attacks/pictures.ts`: carries the attacks out and writes the pictures of docs/attacks.md. */

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { averaging, averagingChart } from './averaging.ts';
import { type Chart, svgOf } from './chart.ts';
import { collusion, collusionChart } from './collusion.ts';
import { lowBits, lowBitsChart } from './low-bits.ts';

const pictures: Readonly<Record<string, Chart>> = {
  averaging: averagingChart(averaging()),
  collusion: collusionChart(collusion()),
  'low-bits': lowBitsChart(lowBits()),
};

for (const [name, chart] of Object.entries(pictures)) {
  await writeFile(fileURLToPath(new URL(`../../docs/attacks/${name}.svg`, import.meta.url)), svgOf(chart));
}
