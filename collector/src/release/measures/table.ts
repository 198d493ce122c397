/** The kinds of measurements, by name, in the order of the help of `murmuration release ask`; and as the page of releases shows them. */

import { type Association, association, associationOnPage, type BuildAssociation } from './association.ts';
import { type BuildCount, type Count, count, countOnPage } from './count.ts';
import { type BuildDays, type Days, days, daysOnPage } from './days.ts';
import type { AnyColumns, MeasureKind } from './measure.ts';
import { type BuildMedian, type Median, median, medianOnPage } from './median.ts';
import { type BuildMostUsed, type MostUsed, mostUsed, mostUsedOnPage } from './most-used.ts';
import type { OnPage } from './page.ts';
import { type BuildShare, type Share, share, shareOnPage } from './share.ts';
import { type BuildSum, type Sum, sum, sumOnPage } from './sum.ts';
import { type BuildSynthetic, type Synthetic, synthetic, syntheticOnPage } from './synthetic.ts';

/** One measurement. `epsilon` is what it costs each device-day, as text so that it is exact: `0.1` or `1/3`. */
export type Measure = Count | Sum | Median | MostUsed | Days | Synthetic | Share | Association;

/** The names of the kinds. */
export type Kind = Measure['kind'];

/** The builder's methods for a table with these columns. */
export interface Builder<C> {
  readonly count: BuildCount<C>;
  readonly sum: BuildSum<C>;
  readonly median: BuildMedian<C>;
  readonly mostUsed: BuildMostUsed<C>;
  readonly days: BuildDays<C>;
  readonly synthetic: BuildSynthetic<C>;
  readonly share: BuildShare<C>;
  readonly association: BuildAssociation<C>;
}

const kinds: { readonly [K in Kind]: MeasureKind<Extract<Measure, { readonly kind: K }>, Builder<AnyColumns>[K]> } = {
  count,
  sum,
  median,
  mostUsed,
  days,
  synthetic,
  share,
  association,
};

const onPage: { readonly [K in Kind]: OnPage<Extract<Measure, { readonly kind: K }>> } = {
  count: countOnPage,
  share: shareOnPage,
  days: daysOnPage,
  mostUsed: mostUsedOnPage,
  median: medianOnPage,
  sum: sumOnPage,
  association: associationOnPage,
  synthetic: syntheticOnPage,
};

/** The names of the kinds. Marked as pure, so that a bundler that takes the page's words alone leaves the kinds out. */
export const KINDS: readonly Kind[] = /* @__PURE__ */ Object.keys(kinds) as Kind[];

/** The builder's methods. */
export const builder: Builder<AnyColumns> = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.entries(kinds).map(([kind, { build }]) => [kind, build]),
) as unknown as Builder<AnyColumns>;

/** A kind by name. The caller passes its measurements to the kind's own functions. */
export const kindOf = (kind: Kind): MeasureKind<Measure, unknown> => kinds[kind] as unknown as MeasureKind<Measure, unknown>;

/** A kind on the page, by name, likewise. */
export const onPageOf = (kind: Kind): OnPage<Measure> => onPage[kind] as unknown as OnPage<Measure>;

/** The kinds in the menu of the page's editor, with their names there. */
export const menuOfKinds = (): readonly (readonly [Kind, string])[] =>
  Object.entries(onPage).map(([kind, { name }]) => [kind as Kind, name]);
