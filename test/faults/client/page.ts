/** A page with telemetry as an app has it, nothing passed in, for closing.ts. */

import { createTelemetry } from '@murmuration/client';
import { schema } from './page-schema.ts';

const { collector = '' } = document.documentElement.dataset;
Object.assign(globalThis, { telemetry: createTelemetry({ schema, endpoint: collector, consent: 'granted' }) });
