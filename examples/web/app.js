// The page as a module. `startPage` is page.js, which knows nothing of how the library was loaded.

import { createTelemetry } from './murmuration.js';
import { schema } from './schema.js';

startPage((options) => createTelemetry({ schema, ...options }));
