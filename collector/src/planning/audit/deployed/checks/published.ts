/** The schema of the page against what its collector says in public, at `/.well-known/murmuration.json`. */

import { canonicalSchema, type SchemaDocument } from '@murmuration/shared';
import { fingerprintOf } from '../../../../schemas/log/entry.ts';
import { readLog } from '../../../../schemas/log/read.ts';
import { readWitnessed, type Witness } from '../../../../schemas/log/witness.ts';
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

/**
 * The page's schemas against the log of the collector, which keeps what was ever asked. With a witness, the log must be that which the witness
 * saw, and a log that is not there fails: an operator could withhold it while somebody looks.
 */
async function compareLog(
  documents: readonly SchemaDocument[],
  collector: string,
  named: string | undefined,
  witness: Witness | undefined,
): Promise<readonly Row[]> {
  const key = witness?.key ?? named;
  if (key === undefined) return [row(LOGGED, 'not tested', `${collector} names no key of a log`)];
  try {
    const { entries, checkpoint } = await (witness === undefined ? readLog(collector, key) : readWitnessed(collector, witness));
    const whose = witness === undefined ? `that ${collector} names` : 'of the witness';
    const at = `signed by the key ${whose}: ${key}, root ${checkpoint.root.toString('base64')}`;
    return documents.map((document) => {
      const found = entries.findIndex(({ fingerprint }) => fingerprint === fingerprintOf(document));
      return found < 0
        ? row(LOGGED, 'failed', `the log of ${collector} has no entry of what the page asks, ${fingerprintOf(document)}`)
        : row(LOGGED, 'passed', `entry ${found} of ${checkpoint.size}, ${fingerprintOf(document)}, ${at}`);
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
    const [report] = stories.flatMap(([, { sent }]) =>
      sent.filter(({ isReport, message }) => isReport && (message === undefined || message.key !== undefined)),
    );
    if (report === undefined || devices.length === 0) {
      const why = 'no report was seen, so the collector is not known';
      // A witness was given to hold the log to it, and no log was read.
      return [row(NAME, 'not tested', why), ...(investigation.witness === undefined ? [] : [row(LOGGED, 'failed', why)])];
    }
    const address = new URL(report.url.replace(/\/v1\/reports.*$/, '/.well-known/murmuration.json')).href;
    const said = await read(address);
    const all = [...new Map(devices.map((device) => [fingerprintOf(device.document), device])).values()];
    const isSaid = typeof said !== 'string' && Array.isArray(said.apps);
    const named = isSaid && typeof said.log?.key === 'string' ? said.log.key : undefined;
    const documents = all.map(({ document }) => document);
    return [
      ...(isSaid
        ? all.map(({ document, wire }) => compare(document, wire, said, address))
        : [row(NAME, 'not tested', `${address}: ${typeof said === 'string' ? said : 'another form'}`)]),
      ...(await compareLog(documents, new URL('..', address).href, named, investigation.witness)),
    ];
  },
};
