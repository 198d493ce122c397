/** The published schemas, for which the collector accepts reports. Every document is validated before it is used, and prepared for parsing. */

import {
  type About,
  answersOf,
  assertCharges,
  assertDocument,
  checksum64,
  type DocumentOf,
  type ExponentialLaw,
  inputsOf,
  isDistributionLaw,
  isNumberLaw,
  type Json,
  kinds,
  type Law,
  lnUp,
  type MetricDocument,
  mechanismOf,
  type Packing,
  packingOf,
  type QuestionKind,
  type SchemaDocument,
  type TallyShape,
} from '@murmuration/shared';
import { inverseOf } from '../estimation/mechanisms/exponential.ts';

// A schema's name on the wire, in time that grows with the schema's size. The client's `canonicalJson` is shorter and quadratic: it hands
// every key of the schema to `JSON.stringify` for each object. With 10,000 metrics that takes half a minute.

/** Canonical JSON (RFC 8785): ECMAScript sorts strings by UTF-16 code units, as the RFC does. */
export function canonicalText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = value as { readonly [key: string]: Json | undefined };
  const texts = Object.keys(members)
    .sort()
    .map((key) => (members[key] === undefined ? undefined : `${JSON.stringify(key)}:${canonicalText(members[key])}`));
  return `{${texts.filter((text) => text !== undefined).join()}}`;
}

/** The canonical JSON of what is counted: a document without what people say of its metrics. */
const countedText = ({ about: _about, ...rest }: SchemaDocument): string => canonicalText(rest as unknown as Json);

/** The same as `wireName`. */
export const wireNameOf = (document: SchemaDocument): string => `${document.app}/${document.version}/${checksum64(countedText(document))}`;

// Published schemas, prepared for the parsing of batches and for the store.

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

/** Throws unless a law has a row for each input and a weight for each option, and distinguishes its inputs. */
function checkTable(field: string, law: ExponentialLaw, { inputs, options }: DocumentOf<'best'>): void {
  const rows = law.weights;
  if (rows.length !== inputs.length || rows.some(({ length }) => length !== options.length)) {
    throw new RangeError(`${field}: expected ${inputs.length} rows of ${options.length} numbers, got ${rows.length} of ${rows[0]?.length}`);
  }
  try {
    inverseOf(law);
  } catch (error) {
    throw new RangeError(`${field}.utility: ${(error as Error).message}`);
  }
}

/** Throws unless the law's mechanism estimates what the metric asks for. */
function checkMechanism(field: string, law: Law, { type, estimates, only }: QuestionKind<never> & { readonly type: string }): void {
  if ((estimates === 'mean') !== isNumberLaw(law)) {
    throw new RangeError(`${field}.law: expected a law of numbers exactly where a mean is asked, got ${law.mechanism} for a ${type}`);
  }
  if ((estimates === 'distribution') !== isDistributionLaw(law)) {
    throw new RangeError(`${field}.law: expected a law of distributions exactly for a distribution, got ${law.mechanism} for a ${type}`);
  }
  for (const [kind, { only: mechanism }] of Object.entries(kinds)) {
    if (mechanism && (law.mechanism === mechanism) !== (only === mechanism))
      throw new RangeError(`${field}.law: expected ${mechanism} exactly for ${kind}, got ${law.mechanism}`);
  }
}

/**
 * Throws unless a metric's integers form a law that fits its answers. With `claims`, also throws when the law spends more than the metric
 * claims.
 */
function checkLaw(field: string, metric: MetricDocument, claims: boolean): void {
  const { law, type, epsilon, permanent } = metric;
  const mechanism = mechanismOf(law);
  mechanism.validate(law);
  const { report, permanent: epoch } = mechanism.odds(law);
  const spends = (odds: typeof report, claimed: number, what: string): void => {
    const spent = Number(lnUp(odds, 12));
    if (claims && spent > claimed * (1 + 1e-9)) throw new RangeError(`${field}.law: expected ${what} of at most ${claimed}, got ${spent}`);
  };
  spends(report, epsilon, 'an epsilon');
  if ((epoch === undefined) !== (permanent === undefined)) {
    throw new RangeError(`${field}.law: expected irr exactly when the metric is permanent, got ${JSON.stringify(law)}`);
  }
  if (epoch !== undefined && permanent !== undefined) spends(epoch, permanent.epsilon, 'a permanent epsilon');
  checkMechanism(field, law, { type, ...kinds[type] });
  if (law.mechanism === 'geometric' && !('max' in metric && law.tails.length === metric.max)) {
    throw new RangeError(`${field}.law: expected a tail for each count, got ${law.tails.length}`);
  }
  if (isNumberLaw(law)) return;
  if (law.mechanism === 'privset' && !('atMost' in metric && law.atMost === metric.atMost)) {
    throw new RangeError(`${field}.law: expected the limit of the metric's sets, got ${law.atMost}`);
  }
  if (law.mechanism === 'exponential') checkTable(field, law, metric as DocumentOf<'best'>);
  const size = answersOf(metric)?.length;
  const listed = inputsOf(law);
  if (size !== listed) throw new RangeError(`${field}.law: expected a law over ${size ?? 'strings'}, got one over ${listed ?? 'strings'}`);
}

function parse(json: unknown, claims: boolean): SchemaDocument {
  assertDocument(json);
  for (const [name, metric] of Object.entries(json.metrics)) checkLaw(`metrics.${name}`, metric, claims);
  if (claims) assertCharges(json.metrics, json.budget, json.assign);
  return json;
}

/**
 * Parses a schema document.
 *
 * @throws {RangeError} that names the field, what was expected and what came
 */
export const parseDocument = (json: unknown): SchemaDocument => parse(json, true);

/** The same, but the schema may spend more than it claims. The audit computes the true spending itself. */
export const parseUnproven = (json: unknown): SchemaDocument => parse(json, false);

/** A published metric, and the schemas whose reports of it may be added up. */
export interface PublishedMetric {
  readonly app: string;
  readonly metric: string;
  readonly version: number;
  readonly document: MetricDocument;
  readonly about: About;
  readonly segments: NonNullable<SchemaDocument['segments']>;
  /** How many devices the newest schema expects. */
  readonly devices: number;
  /** Set when each device answers only a random subset of the metrics in the newest schema. */
  readonly assign?: SchemaDocument['assign'] | undefined;
  /** Wire names of the schemas in which the metric has exactly this law. */
  readonly schemas: readonly string[];
}

/** The published schemas by wire name. */
export interface Catalog {
  readonly schemas: ReadonlyMap<string, SchemaDocument>;
  /** The newest version of each metric. */
  readonly metrics: readonly PublishedMetric[];
}

/** @throws {RangeError} when two documents claim the same app and version with different laws */
export function createCatalog(documents: readonly SchemaDocument[]): Catalog {
  const schemas = new Map<string, SchemaDocument>();
  for (const document of documents) {
    const wire = wireNameOf(document);
    const other = schemas.get(wire);
    if (other !== undefined && countedText(other) !== countedText(document))
      throw new RangeError(`schema ${document.app}: expected one schema with the name ${wire}, got two that ask different things`);
    schemas.set(wire, document);
  }
  const versions = new Map<string, string>();
  for (const [wire, { app, version }] of schemas) {
    const known = versions.get(`${app}/${version}`);
    if (known !== undefined) throw new RangeError(`schema ${app}: expected one schema of version ${version}, got ${known} and ${wire}`);
    versions.set(`${app}/${version}`, wire);
  }
  const newestFirst = [...schemas].sort(([, a], [, b]) => b.version - a.version);
  const metrics = new Map<string, PublishedMetric & { readonly schemas: string[] }>();
  const key = (document: MetricDocument): string => canonicalText(document as unknown as Json);
  for (const [wire, { app, version, segments = {}, devices, assign, about, ...schema }] of newestFirst) {
    for (const [metricName, document] of Object.entries(schema.metrics)) {
      const id = `${app}/${metricName}`;
      const newest = metrics.get(id);
      if (newest !== undefined && key(newest.document) === key(document)) newest.schemas.push(wire);
      if (newest === undefined) {
        const of = { app, metric: metricName, version, document, about: about[metricName] as About };
        metrics.set(id, { ...of, segments, devices, assign, schemas: [wire] });
      }
    }
  }
  return { schemas, metrics: [...metrics.values()] };
}
