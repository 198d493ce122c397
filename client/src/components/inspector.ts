/** The name and the properties of `<murmuration-inspector>`. Its code, inspector/index.ts, is loaded when it is shown. */

import type { Schema } from '@murmuration/shared';
import type { Texts } from '../inspector/texts.ts';
import type { DeviceQuestions } from '../questions/question.ts';
import type { Telemetry } from '../types.ts';
import type { Kind } from './element.ts';

/** The part of a telemetry that the inspector needs. */
export type Inspected = Pick<Telemetry<Record<never, never>>, 'consent' | 'look' | 'forget'>;

/** The properties of the element. */
export interface InspectorOptions {
  /** Made by `createTelemetry`. */
  readonly telemetry: Inspected;
  readonly schema: Schema<DeviceQuestions>;
  /** Translated texts. Keep the object: another one opens the panel again. */
  readonly texts?: Partial<Texts> | undefined;
  /** Called when the person closes the panel. Without it the panel is a part of the page: it takes no focus, and nothing closes it. */
  readonly onClose?: (() => void) | undefined;
}

export const INSPECTOR: Kind<InspectorOptions> = {
  tag: 'murmuration-inspector',
  needs: ['telemetry', 'schema'],
  takes: ['texts', 'onClose'],
};
