// What a device does by each mechanism, as the mechanism's own file says it. The build writes the sentences into the page
// (test/setup/build-dashboard.ts), which needs none of the laws beside them.

import { type Law, mechanisms } from '@murmuration/shared';

export const MEANINGS = Object.fromEntries(Object.values(mechanisms).map(({ name, meaning }) => [name, meaning])) as Readonly<
  Record<Law['mechanism'], string>
>;
