import type { Command } from 'commander';
import { registerEndpoints } from './endpoints.ts';
import { registerKeys } from './keys.ts';
import type { MerchantDeps } from './staff-options.ts';

/** Adds `dialtill merchant`: what merchants' own systems use. */
export function registerMerchant(program: Command, deps: MerchantDeps): void {
  const merchant = program.command('merchant');
  registerEndpoints(merchant, deps);
  registerKeys(merchant, deps);
}
