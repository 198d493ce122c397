/** What plain JavaScript passes by mistake to the constructors of questions. In development only, as the checks of a schema. */

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Checks that a question's last argument is what it should be.
 *
 * @param call as its constructor is called, `flag(ask)`
 * @throws {TypeError} that shows the call
 */
export function assertAsk(call: string, ask: unknown): void {
  // Empty in a production bundle, so that bundlers leave out the calls too.
  if (process.env.NODE_ENV !== 'production') {
    if (typeof ask === 'object' && ask !== null && !Array.isArray(ask)) return;
    const example = "{ epsilon: 1, description: 'Is dark mode on?' }";
    throw new TypeError(`${call}: expected ask to be an object such as ${example}, got ${JSON.stringify(ask) ?? typeof ask}`);
  }
}
