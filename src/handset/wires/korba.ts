import type { Wire } from '../wire.ts';
import { smppLike } from './smpp-like.ts';

/** As the family has it. */
export const korba: Wire = smppLike({ left: '30' });
