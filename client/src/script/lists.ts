/** Flag and choice from a schema's document, which both scripts contain. */

import { choice } from '../questions/choice.ts';
import { flag } from '../questions/flag.ts';
import type { Held } from './from-json.ts';

export const lists: Required<Pick<Held['questions'], 'flag' | 'choice'>> = {
  flag: (_metric, ask) => flag(ask),
  choice: ({ answers, other }, ask) => (other ? choice(answers.slice(0, -1), { ...ask, other }) : choice(answers, ask)),
};
