/** Published schemas, prepared for the parsing of batches and for the store. */

import { type MetricDocument, mechanismOf, type Packing, packingOf, type SchemaDocument, type TallyShape } from '@murmuration/shared';

/** A metric of a schema. Packed reports refer to it by its index. */
export interface PackedMetric {
  readonly name: string;
  readonly shape: TallyShape;
}

/** A schema, prepared for parsing batches. */
export interface Published {
  readonly document: SchemaDocument;
  /** Sorted by name, so that a wire name always gives the same list. */
  readonly metrics: readonly PackedMetric[];
  /** Sorted by name. Each segment has its values, and each value its JSON. */
  readonly segments: readonly (readonly [name: string, values: ReadonlyMap<string, string>])[];
  readonly readers: ReadonlyMap<string, { readonly number: number; readonly mechanism: string; readonly packing: Packing }>;
}

/** The metrics of each published schema, by its wire name. Reports in a batch refer to them by index. */
export type Shapes = ReadonlyMap<string, readonly PackedMetric[]>;

/** Prepares a schema. */
export function publish(document: SchemaDocument): Published {
  const names = Object.keys(document.metrics).sort();
  const metrics = names.map((name) => {
    const { law } = document.metrics[name] as MetricDocument;
    return { name, mechanism: law.mechanism, shape: mechanismOf(law).shape(law) };
  });
  const readers = metrics.map(({ name, mechanism, shape }, number) => [name, { number, mechanism, packing: packingOf(shape) }] as const);
  const segments = Object.entries(document.segments ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    document,
    metrics: metrics.map(({ name, shape }) => ({ name, shape })),
    segments: segments.map(([name, values]) => [
      name,
      new Map(values.map((value) => [value, `${JSON.stringify(name)}:${JSON.stringify(value)}`])),
    ]),
    readers: new Map(readers),
  };
}
