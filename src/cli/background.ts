import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Command } from 'commander';

/** Commands that read a whole ledger. A gateway on the same machine goes first, so that no payer waits for them. */
const background: ReadonlySet<string> = new Set(['backup', 'verify', 'export']);

/** Lowers the priority of this process when its command reads a whole ledger. */
export function yieldToGateway(command: Command): void {
  if (!background.has(command.name())) return;
  for (const thread of threads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // A sandbox may forbid it, and a thread may have ended. The command only takes more from its neighbours then.
    }
  }
}

/**
 * The threads of this process. Linux has a priority for each of them, and those that compile and collect garbage run
 * already; other systems have one for the process.
 */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
}
