/**
 * Writes a schema as code that derives nothing: its document, its name on the wire, and of each question what a device runs. Writes the start of
 * a telemetry with the code of the options that it has.
 */

import { isListPart, type MetricDocument } from '@murmuration/shared';
import type { Evaluated } from './evaluate.ts';

/** Before each name that is written into an app's module. */
const PREFIX = '$murmuration_';

/** The part of @murmuration/client/resolved that gives a metric's values and answers, with the member of its document that it takes. */
function answering(metric: MetricDocument): readonly [name: string, member: string] {
  if (metric.type === 'discover') return ['textAnswering', ''];
  if (metric.type !== 'joint') return [`${metric.type}Answering`, ''];
  return metric.questions.every(isListPart) ? ['jointAnswering', '.questions'] : ['partsAnswering', ''];
}

/** The part of @murmuration/client/resolved that has a mechanism's randomizers. */
const randomizing = ({ mechanism }: MetricDocument['law']): string =>
  mechanism.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A map by metric. It has no prototype: a metric may have any name, and a lookup must not find inherited ones. */
const mapOf = (map: object): string => `{"__proto__":null,${JSON.stringify(map).slice(1)}`;

/** The expression of a part, which is then imported. */
const partOf = (name: string, parts: Set<string>): string => {
  parts.add(name);
  return PREFIX + name;
};

/**
 * A schema in an app's module: an expression on one line.
 *
 * @param parts the names that it needs of `@murmuration/client/resolved` are added
 */
export function writeSchema({ document, wire }: Evaluated, parts: Set<string>): string {
  const { metrics, about, ...rest } = document;
  const questions = Object.entries(metrics).map(([name, metric]) => {
    const [answers, member] = answering(metric);
    const key = JSON.stringify(name);
    const held = partOf(randomizing(metric.law), parts);
    const kept = metric.permanent ? `,...${partOf('storing', parts)}(${held})` : '';
    return `${key}:{...${partOf(answers, parts)}(d.metrics[${key}]${member}),...${held}${kept}}`;
  });
  const needs = [
    ...(Object.values(metrics).some(({ otherwise }) => otherwise !== undefined) ? ['begin', 'replace'] : []),
    ...(document.assign ? ['isAssigned'] : []),
  ].map((name) => `${name}:${partOf(name, parts)}`);
  const text = `{${JSON.stringify(rest).slice(1, -1)},"metrics":${mapOf(metrics)},"about":${mapOf(about)}}`;
  return `(d=>({document:d,wire:${JSON.stringify(wire)},questions:{${questions.join(',')}},parts:{${needs.join(',')}}}))(${text})`;
}

/** The options that need code of their own, each with the name of its part (options.ts). */
const OPTION_PARTS: ReadonlyMap<string, string> = new Map([
  ['key', 'identifying'],
  ['consent', 'consenting'],
  ['upload', 'batching'],
  ['batchesPerDay', 'batching'],
  ['sampleRate', 'sampling'],
]);

/**
 * The start of a telemetry with the code of these options: what is called, and a second argument.
 *
 * @param parts as for `writeSchema`
 */
export function writeStart(options: readonly string[], parts: Set<string>): readonly [callee: string, argument: string] {
  const needed = new Set(options.flatMap((option) => OPTION_PARTS.get(option) ?? []));
  return [partOf('start', parts), `,[${[...needed].map((name) => partOf(name, parts)).join(',')}]`];
}

/** The statement that imports the parts. It stands at a module's end, so that lines keep their numbers and directives come first. */
export const importOf = (parts: ReadonlySet<string>): string =>
  `import { ${[...parts].map((name) => `${name} as ${PREFIX}${name}`).join(', ')} } from '@murmuration/client/resolved';\n`;
