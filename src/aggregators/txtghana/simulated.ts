import type { Wire } from '../simulated.ts';
import { smppLike } from '../smpp-like/simulated.ts';

/** As the family has it. */
export const txtghana: Wire = smppLike({ left: '30' });
