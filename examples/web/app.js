// The page as a module. `startPage` is page.js, which knows nothing of how the library was loaded.

import * as murmuration from './murmuration.js';
import { schema } from './schema.js';

startPage(schema, murmuration);
