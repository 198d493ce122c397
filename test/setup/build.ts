/** Builds what cannot run from its sources: the browser bundles of the client, and the dashboard. */

import { buildClient } from './build-client.ts';
import { buildDashboard } from './build-dashboard.ts';

await Promise.all([buildClient(), buildDashboard()]);
