import type { Command } from 'commander';
import type { z } from 'zod';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { durationUpTo, shownDuration } from './duration.ts';
import { clock } from './responses.ts';
import { shownTime } from './show.ts';

/** `dialtill service clock`. */
export function registerClock(service: Command, desk: CommandKit): void {
  const group = service
    .command('clock')
    .description("a sandbox's clock; refused by a service on the real one");
  const text = ({ now, advanced_ms }: z.infer<typeof clock>) =>
    `${shownTime(now)} UTC${advanced_ms > 0 ? `, moved on by ${shownDuration(advanced_ms)}` : ''}\n`;

  desk.command(group, 'show', 'read the clock', 'show').action(async (options: CommonOptions) => {
    desk.show(options, await desk.office(options).get('/clock', clock), text);
  });

  desk
    .command(
      group,
      'advance',
      'move time on: prompts run out, webhooks are retried, in their order',
      'advance 10m',
    )
    .argument('<time>', '90s, 10m, 2h, 3d or 1h30m; at most 30d at once', durationUpTo('30d'))
    .action(async (ms: number, options: CommonOptions) => {
      desk.show(options, await desk.office(options).send('POST', '/clock/advance', clock, { ms }), text);
    });
}
