import type { Command } from 'commander';
import { wholeNumber } from './arguments.ts';

export type PageOptions = { limit?: number; cursor?: string };

export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'rows of the page, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--cursor <cursor>', 'start after the page that printed this cursor');
}

export function pageQuery({ limit, cursor }: PageOptions) {
  return { limit: limit === undefined ? undefined : String(limit), cursor };
}
