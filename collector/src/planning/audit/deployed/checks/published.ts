/** The schema of the page against what its collector says in public, at `/.well-known/murmuration.json`. */

import { canonicalSchema, type SchemaDocument } from '@murmuration/shared';
import { spendingOf } from '../../spending.ts';
import { type Check, type Row, row } from '../check.ts';

const NAME = 'published schema';

/** The parts of the public answer that are compared. */
interface Public {
  readonly apps?: readonly {
    readonly schemas?: readonly {
      readonly schema?: string;
      readonly document?: SchemaDocument;
      readonly epsilon?: { readonly report?: Readonly<Record<string, string>> };
    }[];
  }[];
}

async function read(address: string): Promise<Public | string> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(10_000) });
    return response.ok ? ((await response.json()) as Public) : `status ${response.status}`;
  } catch (error) {
    return (error as Error).message;
  }
}

function compare(document: SchemaDocument, wire: string, said: Public, address: string): Row {
  const entry = said.apps?.flatMap(({ schemas = [] }) => schemas).find(({ schema }) => schema === wire);
  if (entry === undefined) return row(NAME, 'failed', `${address} does not name ${wire}, which the page asks`);
  if (entry.document !== undefined && canonicalSchema(entry.document) !== canonicalSchema(document))
    return row(NAME, 'failed', `${address} has another document under the name ${wire}`);
  const wrong = spendingOf(document).metrics.find(
    ({ metric, report }) => (entry.epsilon?.report?.[metric] ?? report.epsilon) !== report.epsilon,
  );
  if (wrong)
    return row(
      NAME,
      'failed',
      `${address} says ε ${entry.epsilon?.report?.[wrong.metric]} of ${wrong.metric}; it is ${wrong.report.epsilon}`,
    );
  return row(NAME, 'passed', `${address} names ${wire}, with the same document and the same ε`);
}

export const published: Check = {
  name: NAME,
  run: async (investigation) => {
    const { devices } = await investigation.known();
    const stories = await investigation.stories();
    const [report] = stories.flatMap(([, { sent }]) => sent.filter(({ isReport }) => isReport));
    if (report === undefined || devices.length === 0) return [row(NAME, 'not tested', 'no report was seen, so the collector is not known')];
    const address = new URL(report.url.replace(/\/v1\/reports.*$/, '/.well-known/murmuration.json')).href;
    const said = await read(address);
    if (typeof said === 'string' || !Array.isArray(said.apps))
      return [row(NAME, 'not tested', `${address}: ${typeof said === 'string' ? said : 'another form'}`)];
    const all = new Map(devices.map(({ document, wire }) => [wire, document]));
    return [...all].map(([wire, document]) => compare(document, wire, said, address));
  },
};
