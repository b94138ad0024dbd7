import type { Command } from 'commander';
import { type MerchantDeps, registerEndpoints } from './endpoints.ts';
import { registerKeys } from './keys.ts';

/** Adds `dialtill merchant`: what merchants' own systems use. */
export function registerMerchant(program: Command, deps: MerchantDeps): void {
  const merchant = program.command('merchant');
  registerEndpoints(merchant, deps);
  registerKeys(merchant, deps);
}
