import type { Command } from 'commander';
import { defaultPageLimit, maxPageLimit, type PageRequest } from '../../../gateway/support/page.ts';
import { wholeNumber } from '../../service/arguments.ts';

export type PageOptions = { limit?: number; after?: string };

/** Adds the options of a list that has pages. */
export function addPageOptions(command: Command): Command {
  return command
    .option(
      '--limit <count>',
      `rows of the page, 1 to ${maxPageLimit} (default: ${defaultPageLimit})`,
      wholeNumber(1, maxPageLimit),
    )
    .option('--after <cursor>', 'start after the page that printed this cursor');
}

export function readPageRequest({ limit = defaultPageLimit, after }: PageOptions): PageRequest {
  return { limit, after };
}
