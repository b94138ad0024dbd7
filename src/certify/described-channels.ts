import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

const packagedFile = fileURLToPath(new URL('../../fixtures/channels/described.yaml', import.meta.url));

const channel = z.looseObject({
  id: z.string(),
  aggregator: z.literal('generic'),
  serviceCode: z.string(),
  lineBreak: z.string().optional(),
  settings: z.record(z.string(), z.unknown()),
});

/** A channel of `generic` that describes a real aggregator. The gateway's configuration has the same keys. */
export type DescribedChannel = z.output<typeof channel>;

/** Returns the described aggregators that are certified like the built-in ones. */
export function loadDescribedChannels(): DescribedChannel[] {
  return z.object({ channels: z.array(channel) }).parse(parse(readFileSync(packagedFile, 'utf8'))).channels;
}
