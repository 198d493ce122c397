/** The measures of releases as their page shows them: apart from shown.ts, so that the overview is there without their code. */

export { BELOW_ZERO, costInWords, percent } from '../release/measures/page.ts';
export { menuOfKinds, onPageOf } from '../release/measures/table.ts';
