/** The thread that makes plans, one after the other. */

import { serve } from '../../base/threads.ts';
import { planOf } from './plan-of.ts';

serve(planOf);
