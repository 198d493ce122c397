/** The words and rows of the panel. */

import type { MetricDocument, SchemaDocument } from '@murmuration/shared';
import { type Child, element } from '../components/dom.ts';
import { chanceOf } from '../inspector/chance.ts';
import type { Consent } from '../types.ts';
import type { LedgerView, Preview } from '../view.ts';
import type { Entry, Truth } from '../watch.ts';

const CONSENT: { readonly [S in Consent['state']]: string } = {
  unknown: 'The storage has not answered yet.',
  ask: 'Nobody has agreed yet: nothing is recorded.',
  granted: 'The person has agreed.',
  denied: 'The person has refused: nothing is recorded.',
};

/** The most answers of a report that are named. */
const MOST = 4;

/** ε to two decimals, rounded up, so that no amount is shown as less than it is. */
const upwards = (epsilon: number): string => String(Math.max(0, Math.ceil(epsilon * 100 - 1e-9) / 100));

const row = (name: string, ...cells: readonly Child[]): HTMLElement =>
  element('tr', {}, element('th', { scope: 'row' }, name), ...cells.map((cell) => element('td', {}, cell)));

/** Consent and budget. */
export const stateText = (consent: Consent['state'], { budget, spent }: LedgerView): string =>
  `${CONSENT[consent]} ε ${upwards(spent)} of ${budget.epsilon} a ${budget.per} is spent.`;

/** The slot of each question, and the ε that is spent on it. */
export const questionRows = ({ metrics }: SchemaDocument, { metrics: rows, today }: LedgerView): readonly HTMLElement[] =>
  rows.map(({ metric, spent, nextDay }) => {
    const { epsilon, permanent } = metrics[metric] as MetricDocument;
    const slot = nextDay === undefined ? 'taken, no other' : nextDay === today ? 'open' : `opens ${nextDay}`;
    return row(metric, `${epsilon}${permanent ? `, all ${permanent.epsilon}` : ''}`, upwards(spent), slot);
  });

/** The answers that a report names. */
function saidText(said: readonly string[]): string {
  if (said.length === 0) return 'noise';
  return said.length > MOST ? `${said.slice(0, MOST).join(' or ')} or ${said.length - MOST} others` : said.join(' or ');
}

/** The records of this page, each with its true answer. */
export const recordRows = (
  { metrics }: SchemaDocument,
  entries: readonly Entry[],
  truthOf: (entry: Entry) => Truth | undefined,
): readonly HTMLElement[] =>
  entries.toReversed().map((entry) => {
    const { metric = '', result, later, said } = entry;
    const truth = truthOf(entry);
    const law = metrics[metric]?.law;
    const isChanged = truth?.label !== undefined && said !== undefined && law && chanceOf(law) && !said.includes(truth.label);
    const outcome = [result ?? 'waits', ...(later === undefined ? [] : [later])].join(', then ');
    const report = said === undefined ? '' : saidText(said);
    return row(metric, truth?.value ?? '(not seen)', isChanged ? `${report}: changed by chance` : report, outcome);
  });

/** The waiting batches, byte for byte. */
export function waitingRows(batches: readonly Preview[], isUnfolded: boolean): readonly HTMLElement[] {
  const sizes = batches.map(({ body }) => new Blob([body]).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const total = batches.length === 0 ? 'Nothing waits to be sent.' : `Waiting to be sent: ${bytes} bytes.`;
  return [
    element('p', {}, total),
    ...batches.map(({ day, body }, i) =>
      element(
        'details',
        isUnfolded ? { open: '' } : {},
        element('summary', {}, `${sizes[i]} bytes, dated ${day}`),
        element('pre', { tabindex: '0' }, body),
      ),
    ),
  ];
}
