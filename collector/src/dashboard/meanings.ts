// One sentence per mechanism about what a device does, from the mechanism's own file. The build inserts the sentences into the
// page (test/setup/build-dashboard.ts), so the page does not contain the laws beside them.

import { type Law, mechanisms } from '@murmuration/shared';

export const MEANINGS = Object.fromEntries(Object.values(mechanisms).map(({ name, meaning }) => [name, meaning])) as Readonly<
  Record<Law['mechanism'], string>
>;
