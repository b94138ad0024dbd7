import { dirname, relative, resolve } from 'node:path';
import { z } from 'zod';
import type { NamedMenu } from '../../../menu/text/screen-title.ts';
import { readTextFile } from '../../../shared/text-file.ts';
import { findOtherZones } from '../../../shared/time-text.ts';
import { readYaml } from '../../../shared/yaml.ts';
import type { configSchema } from '../../config/schema.ts';
import type { TranscriptHead } from './transcript.ts';

/** Text without a reference to the environment: commands that read the ledger run without the gateway's secrets. */
const text = z
  .string()
  .refine((value) => !value.includes('${'))
  .optional()
  .catch(undefined);
const seconds = z.number().optional().catch(undefined);
type TimingKey = keyof NonNullable<z.input<typeof configSchema>['timings']>;
/** The timings that change screens. */
const timings = z
  .object({
    recentPaymentSeconds: seconds,
    resumeWindowSeconds: seconds,
    duplicateWindowSeconds: seconds,
    lookupTimeoutSeconds: seconds,
    quoteTimeoutSeconds: seconds,
    promptDeadlineSeconds: seconds,
    retryAllowedAfterSeconds: seconds,
  } satisfies Partial<Record<TimingKey, typeof seconds>>)
  .optional()
  .catch(undefined);
const config = z.object({
  timings,
  merchants: z
    .array(
      z.object({
        ...{ id: text, name: text, menu: text, timeZone: text },
        attendants: z.array(text).optional().catch([]),
      }),
    )
    .catch([]),
  channels: z.array(z.object({ id: text, aggregator: text, serviceCode: text, merchant: text })).catch([]),
});

/**
 * Reads the settings of a channel and its merchant that a transcript needs. The path of the menu is relative to the current
 * folder. Settings that are missing or unreadable are left out; no secret is needed.
 */
export function readTranscriptHead(configFile: string, channelId: string): TranscriptHead {
  const found = readConfig(configFile);
  const channel = found?.channels.find(({ id }) => id === channelId);
  if (!channel) return {};
  const merchant = found?.merchants.find(({ id }) => id === channel.merchant);
  return {
    aggregator: channel.aggregator,
    serviceCode: channel.serviceCode,
    merchant: merchant?.name,
    timeZone: merchant?.timeZone,
    attendants: merchant?.attendants?.filter((number) => number !== undefined),
    timings: withoutGaps(found?.timings ?? {}),
    menu: merchant?.menu && relative('', resolve(dirname(configFile), merchant.menu)),
  };
}

/** Returns the time zones of merchants that are not in Ghana's, by merchant. */
export function readTimeZones(configFile: string): Record<string, string> {
  const merchants = readConfig(configFile)?.merchants ?? [];
  return findOtherZones(merchants.map(({ id, timeZone }) => [id, timeZone]));
}

/** Returns the menus of merchants, with their names, by merchant. A menu that does not load is left out. */
export async function readMenus(configFile: string): Promise<Record<string, NamedMenu>> {
  const { loadMenu } = await import('../../../menu/file/load.ts');
  const merchants = readConfig(configFile)?.merchants ?? [];
  return Object.fromEntries(
    merchants.flatMap(({ id, name = '…', menu: file }) => {
      const loaded = file === undefined ? undefined : loadMenu(resolve(dirname(configFile), file));
      return id !== undefined && loaded?.ok ? [[id, { name, menu: loaded.menu }]] : [];
    }),
  );
}

function readConfig(configFile: string): z.infer<typeof config> | undefined {
  const yaml = readTextFile(configFile);
  const source = yaml === undefined ? undefined : readYaml(yaml, configFile);
  return source?.ok ? config.safeParse(source.value).data : undefined;
}

function withoutGaps(timings: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(timings).flatMap(([name, seconds]) => (seconds === undefined ? [] : [[name, seconds]])),
  );
}
