import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { z } from 'zod';
import type { TranscriptHead } from '../../gateway/support/transcript.ts';
import { readYaml } from '../../shared/yaml.ts';

/** What the environment would fill in is not known here. */
const text = z
  .string()
  .refine((value) => !value.includes('${'))
  .optional()
  .catch(undefined);
const timing = z.number().optional().catch(undefined);
/** Of the timings those that change what payers see. */
const timings = z
  .object({
    recentPaymentSeconds: timing,
    resumeWindowSeconds: timing,
    duplicateWindowSeconds: timing,
    lookupTimeoutSeconds: timing,
    quoteTimeoutSeconds: timing,
  })
  .optional()
  .catch(undefined);
const config = z.object({
  timings,
  merchants: z
    .array(z.object({ id: text, name: text, menu: text, attendants: z.array(text).optional().catch([]) }))
    .catch([]),
  channels: z.array(z.object({ id: text, aggregator: text, serviceCode: text, merchant: text })).catch([]),
});

/**
 * What a configuration says of a channel and its merchant, the menu as seen from here. Nothing else of it is looked at,
 * no secret is needed, and what cannot be read is left out.
 */
export function readChannel(configFile: string, id: string): TranscriptHead {
  let yaml: string;
  try {
    yaml = readFileSync(configFile, 'utf8');
  } catch {
    return {};
  }
  const source = readYaml(yaml, configFile);
  const parsed = source.ok ? config.safeParse(source.value) : undefined;
  const channel = parsed?.data?.channels.find((one) => one.id === id);
  if (!channel) return {};
  const merchant = parsed?.data?.merchants.find((one) => one.id === channel.merchant);
  return {
    aggregator: channel.aggregator,
    serviceCode: channel.serviceCode,
    merchant: merchant?.name,
    attendants: merchant?.attendants?.filter((one) => one !== undefined),
    timings: known(parsed?.data?.timings ?? {}),
    menu: merchant?.menu && relative('', resolve(dirname(configFile), merchant.menu)),
  };
}

function known(timings: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(timings).flatMap(([name, seconds]) => (seconds === undefined ? [] : [[name, seconds]])),
  );
}
