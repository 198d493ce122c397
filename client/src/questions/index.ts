/** The constructor of every question type, one line each. A bundler keeps only those that an app imports. */

export { best } from './best.ts';
export { choice } from './choice.ts';
export { choices } from './choices.ts';
export { count } from './count.ts';
export { discover } from './discover.ts';
export { distribution } from './distribution.ts';
export { flag } from './flag.ts';
export { histogram } from './histogram.ts';
export { joint } from './joint.ts';
export { mean } from './mean.ts';
export { text } from './text.ts';
