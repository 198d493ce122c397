/** What others could notice of a stored or sent text, where two lives differ in hidden records; and coins by the event that throws them. */

import { checksum64 } from '@murmuration/shared';

/** A number from a text, for a seed. */
export const seedOf = (text: string): number => Number.parseInt(checksum64(text).slice(0, 12), 16);

/** Its length only, of what may differ: the symbols and reports of hidden metrics, and the ids of records. */
const length = (text: unknown): unknown => (typeof text === 'string' ? text.length : text);

interface Seen {
  readonly [name: string]: unknown;
}

/**
 * A stored or sent text without what may differ, and its length.
 *
 * @param isHidden whether a metric hides its records in some release
 * @param hidesIn whether it does in the release with this name on the wire
 */
export function visibleTo(
  isHidden: (metric: string) => boolean,
  hidesIn: (schema: string, metric: string) => boolean,
): (text: string) => string {
  const withoutHidden = (name: string, value: unknown): unknown => {
    if (name === 'by' || name === 'before' || name === 'id') return length(value);
    if (name === 'answered') return undefined;
    if (name === 'accounts')
      return Object.fromEntries(
        Object.entries(value as { readonly [metric: string]: Seen & { readonly epoch?: Seen } }).map(([metric, account]) => [
          metric,
          isHidden(metric) && account.epoch ? { ...account, epoch: { ...account.epoch, symbol: length(account.epoch.symbol) } } : account,
        ]),
      );
    const { schema, reports } = (value ?? {}) as { readonly schema?: string; readonly reports?: readonly (readonly [string, string])[] };
    if (!schema || !Array.isArray(reports)) return value;
    const masked = reports.map(([metric, bytes, ...since]) => [metric, hidesIn(schema, metric) ? length(bytes) : bytes, ...since]);
    return { ...(value as Seen), reports: masked };
  };
  return (text) => {
    try {
      return `${text.length} ${JSON.stringify(JSON.parse(text.slice(Math.max(0, text.indexOf('{'))), withoutHidden))}`;
    } catch {
      return text;
    }
  };
}
