/** What plain JavaScript passes by mistake to the constructors of questions. In development only, as the checks of a schema. */

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** As each constructor is called, its question left out. */
const calls = {
  flag: 'flag(ask)',
  choice: 'choice(answers, ask)',
  choices: 'choices(answers, ask)',
  best: 'best(options, ask)',
  joint: 'joint(lists, ask)',
  text: 'text(ask)',
  histogram: 'histogram(edges, ask)',
  mean: 'mean([low, high], ask)',
  count: 'count(max, ask)',
  distribution: 'distribution([low, high], ask)',
} as const;

/**
 * Checks that a question's last argument is what it should be.
 *
 * @throws {TypeError} that shows the call
 */
export function assertAsk(type: keyof typeof calls, ask: unknown): void {
  // Empty in a production bundle, so that bundlers leave out the calls too.
  if (process.env.NODE_ENV !== 'production') {
    if (typeof ask === 'object' && ask !== null && !Array.isArray(ask)) return;
    const example = "{ epsilon: 1, description: 'Is dark mode on?' }";
    throw new TypeError(`${calls[type]}: expected ask to be an object such as ${example}, got ${JSON.stringify(ask) ?? typeof ask}`);
  }
}
