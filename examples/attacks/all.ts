/** Carries all attacks out, and writes their pictures to docs/attacks. */

import { SEED, show } from './attack.ts';
import * as averaging from './averaging.ts';
import * as batches from './batches.ts';
import * as collusion from './collusion.ts';
import * as differencing from './differencing.ts';
import * as linking from './linking.ts';
import * as lowBits from './low-bits.ts';
import * as poisoning from './poisoning.ts';
import * as repeatedAnswers from './repeated-answers.ts';

show('averaging', averaging.picture(await averaging.attack(SEED)));
show('collusion', collusion.picture(await collusion.attack(SEED)));
show('differencing', differencing.picture(await differencing.attack(SEED)));
show('low-bits', lowBits.picture(lowBits.attack(SEED)));
show('repeated-answers', repeatedAnswers.picture(repeatedAnswers.attack(SEED)));
show('linking', linking.picture(linking.attack(SEED)));
show('batches', batches.picture(await batches.attack(SEED)));
show('poisoning', poisoning.picture(poisoning.attack(SEED)));
