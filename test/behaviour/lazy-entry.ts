/** A page that downloads nothing before the person agrees. What its telemetry does is on the page, as lazy-telemetry.ts says. */

import { createLazyTelemetry } from '@murmuration/client/lazy';

const telemetry = createLazyTelemetry({ app: 'notes' }, () => import('./lazy-telemetry.ts'));
Object.assign(globalThis, { telemetry, outcomes: [] });
