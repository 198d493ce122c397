/** Fields of CSV (RFC 4180 §2). */

/** A value as a field, in quotes where it must be. */
export function field(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
