import { type JsonOptions, ledgerJson } from '../../../gateway/support/json.ts';
import { printJson } from '../../terminal/output.ts';
import type { Output } from '../../terminal/protected-output.ts';

/** Prints rows of the ledger as JSON: times are RFC 3339, and keys and bodies are printed only with `--full`. */
export function printLedgerJson(stdout: Output, value: unknown, options: JsonOptions = {}): void {
  printJson(stdout, ledgerJson(value, options));
}
