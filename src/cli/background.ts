import { constants, setPriority } from 'node:os';
import type { Command } from 'commander';

/** Commands that read a whole ledger. A gateway on the same machine goes first, so that no payer waits for them. */
const background: ReadonlySet<string> = new Set(['backup', 'verify', 'export']);

/** Lowers the priority of this process when its command reads a whole ledger. */
export function yieldToGateway(command: Command): void {
  if (!background.has(command.name())) return;
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid it. The command only takes more from its neighbours then.
  }
}
