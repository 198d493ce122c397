/**
 * Catches wrong arguments that plain JavaScript may pass to the constructors of questions. Like the schema checks, it runs in development
 * only.
 */

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Checks that a question's last argument is its `ask` object.
 *
 * @param call the constructor's call as shown in the message, such as `flag(ask)`
 * @throws {TypeError} that shows the call
 */
export function assertAsk(call: string, ask: unknown): void {
  // The body is empty in a production bundle, so bundlers drop the calls too.
  if (process.env.NODE_ENV !== 'production') {
    if (typeof ask === 'object' && ask !== null && !Array.isArray(ask)) return;
    const example = "{ epsilon: 1, description: 'Is dark mode on?' }";
    throw new TypeError(`${call}: expected ask to be an object such as ${example}, got ${JSON.stringify(ask) ?? typeof ask}`);
  }
}
