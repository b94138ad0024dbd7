import type { Command } from 'commander';
import type { z } from 'zod';
import { testClock } from '../../contract/admin.ts';
import { formatDuration } from '../../shared/duration.ts';
import { durationUpTo } from './arguments.ts';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { formatTime } from './format.ts';

/** `dialtill service clock`. */
export function registerClock(service: Command, kit: CommandKit): void {
  const group = service.command('clock').description("read or advance a sandbox's test clock");

  kit
    .command(group, 'show', 'show the time of the sandbox', 'show')
    .action(async (options: CommonOptions) => {
      kit.print(options, await kit.client(options).get('/clock', testClock), formatReading);
    });

  kit
    .command(
      group,
      'advance',
      'advance the clock; everything that becomes due happens in order',
      'advance 10m',
    )
    .argument('<time>', '90s, 10m, 2h, 3d or 1h30m; at most 30d per call', durationUpTo('30d'))
    .action(async (ms: number, options: CommonOptions) => {
      const reading = await kit.client(options).send('POST', '/clock/advance', testClock, { ms });
      kit.print(options, reading, formatReading);
    });
}

function formatReading({ now, advanced_ms }: z.infer<typeof testClock>): string {
  const advanced = advanced_ms > 0 ? `, advanced by ${formatDuration(advanced_ms)}` : '';
  return `${formatTime(now)} UTC${advanced}\n`;
}
