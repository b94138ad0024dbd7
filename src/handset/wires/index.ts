import type { Wire } from '../wire.ts';
import { africastalking } from './africastalking.ts';
import { nalo } from './nalo.ts';

/** The aggregators that the simulated phone can stand behind, by the same names as the gateway's dialects. */
export const wires: Readonly<Record<string, Wire>> = { africastalking, nalo };
