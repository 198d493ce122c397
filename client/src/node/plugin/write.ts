/** Writes a schema as code that derives nothing: its document, its name on the wire, and of each question what a device runs. */

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

/** A schema in an app's module. */
export interface Written {
  /** An expression, on one line. */
  readonly expression: string;
  /** The names that it needs of `@murmuration/client/resolved`. */
  readonly parts: readonly string[];
}

export function writeSchema({ document, wire }: Evaluated): Written {
  const parts = new Set<string>();
  const part = (name: string): string => {
    parts.add(name);
    return PREFIX + name;
  };
  const { metrics, about, ...rest } = document;
  const questions = Object.entries(metrics).map(([name, metric]) => {
    const [answers, member] = answering(metric);
    const key = JSON.stringify(name);
    const held = part(randomizing(metric.law));
    const kept = metric.permanent ? `,...${part('storing')}(${held})` : '';
    return `${key}:{...${part(answers)}(d.metrics[${key}]${member}),...${held}${kept}}`;
  });
  const needs = [
    ...(Object.values(metrics).some(({ otherwise }) => otherwise !== undefined) ? ['begin', 'replace'] : []),
    ...(document.assign ? ['isAssigned'] : []),
  ].map((name) => `${name}:${part(name)}`);
  const text = `{${JSON.stringify(rest).slice(1, -1)},"metrics":${mapOf(metrics)},"about":${mapOf(about)}}`;
  const expression = `(d=>({document:d,wire:${JSON.stringify(wire)},questions:{${questions.join(',')}},parts:{${needs.join(',')}}}))(${text})`;
  return { expression, parts: [...parts] };
}

/** The statement that imports the parts. It stands at a module's end, so that lines keep their numbers and directives come first. */
export const importOf = (parts: readonly string[]): string =>
  `import { ${[...new Set(parts)].map((name) => `${name} as ${PREFIX}${name}`).join(', ')} } from '@murmuration/client/resolved';\n`;
