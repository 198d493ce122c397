/**
 * Catches wrong arguments that plain JavaScript may pass to the constructors of questions. Like the schema checks, it runs in development
 * only.
 */

import { shown } from './rules.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Checks that a question's last argument is its `ask` object.
 *
 * @param call the constructor's call as shown in the message, such as `flag(ask)`
 * @throws {TypeError} that shows the call
 */
export function assertAsk(call: string, ask: unknown): void {
  // The body is empty in a production bundle, so bundlers drop the calls too.
  if (process.env.NODE_ENV !== 'production') assertObject(call, 'ask', "{ epsilon: 1, description: 'Is dark mode on?' }", ask);
}

/**
 * Checks that an argument is an object.
 *
 * @param call the constructor's call as shown in the message, such as `permanent(question, permanence)`
 * @param name the argument's name
 * @param example such an object
 * @throws {TypeError} that shows the call
 */
export function assertObject(call: string, name: string, example: string, argument: unknown): void {
  if (process.env.NODE_ENV !== 'production') {
    if (typeof argument === 'object' && argument !== null && !Array.isArray(argument)) return;
    throw new TypeError(`${call}: expected ${name} to be an object such as ${example}, got ${shown(argument)}`);
  }
}
