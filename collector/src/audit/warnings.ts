/** What lies outside ε, in words: participation, segments, storage. The threat model has the whole list. */

import type { SchemaDocument } from '@murmuration/shared';

/** A warning of the audit. */
export interface Warning {
  readonly kind: 'participation-visible' | 'segments-in-clear' | 'storage';
  /** What it concerns: metrics or segments. */
  readonly about: readonly string[];
  readonly words: string;
}

/** How many groups the segments tell apart. */
export const combinationsOf = ({ segments = {} }: SchemaDocument): number =>
  Object.values(segments).reduce((product, { length }) => product * length, 1);

/** The warnings for a schema. */
export function warningsOf(document: SchemaDocument): readonly Warning[] {
  const visible = Object.entries(document.metrics).flatMap(([name, { otherwise }]) => (otherwise === undefined ? [name] : []));
  const segments = Object.keys(document.segments ?? {});
  const participation: Warning = {
    kind: 'participation-visible',
    about: visible,
    words: `participation visible: that a device answers ${visible.join(', ')}, and on which day, is no secret. A metric may be recorded on an event; then its presence tells of the event. Give each an \`otherwise\`, or record it on a schedule, whatever happened.`,
  };
  const clear: Warning = {
    kind: 'segments-in-clear',
    about: segments,
    words: `segments are sent in clear: ${segments.join(', ')} put each device into one of ${combinationsOf(document)} groups, with no randomness. Nothing private may stand in one.`,
  };
  const storage: Warning = {
    kind: 'storage',
    about: [],
    words:
      'storage bounds the promise: an installation whose storage was erased, and each further installation of a person, has a budget of its own.',
  };
  return [...(visible.length > 0 ? [participation] : []), ...(segments.length > 0 ? [clear] : []), storage];
}
