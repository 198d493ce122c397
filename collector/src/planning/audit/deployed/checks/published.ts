/** The schema of the page against what its collector says in public, at `/.well-known/murmuration.json`. */

import { canonicalSchema, type SchemaDocument } from '@murmuration/shared';
import { fingerprintOf } from '../../../../schemas/log/entry.ts';
import { readLog } from '../../../../schemas/log/read.ts';
import { spendingOf } from '../../spending.ts';
import { type Check, type Row, row } from '../check.ts';

const NAME = 'published schema';
const LOGGED = 'log of schemas';

/** The parts of the public answer that are compared. */
interface Public {
  readonly log?: { readonly key: string };
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

/** The page's schemas against the log of the collector, which keeps what was ever asked. */
async function compareLog(documents: readonly SchemaDocument[], collector: string, key: string | undefined): Promise<readonly Row[]> {
  if (key === undefined) return [row(LOGGED, 'not tested', `${collector} names no key of a log`)];
  try {
    const { entries, checkpoint } = await readLog(collector, key);
    return documents.map((document) => {
      const at = entries.findIndex(({ fingerprint }) => fingerprint === fingerprintOf(document));
      return at < 0
        ? row(LOGGED, 'failed', `the log of ${collector} has no entry of what the page asks, ${fingerprintOf(document)}`)
        : row(LOGGED, 'passed', `entry ${at} of ${checkpoint.size}, signed by the key that ${collector} names: ${key}`);
    });
  } catch (error) {
    return [row(LOGGED, 'failed', (error as Error).message)];
  }
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
    return [
      ...[...all].map(([wire, document]) => compare(document, wire, said, address)),
      ...(await compareLog([...all.values()], new URL('..', address).href, said.log?.key)),
    ];
  },
};
