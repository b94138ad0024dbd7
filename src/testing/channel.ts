import type { z } from 'zod';
import { aggregatorNames, aggregators } from '../aggregators/registry.ts';
import { configSchema, channelSchema as gatewayChannelSchema } from '../gateway/config/schema.ts';

const { merchants } = configSchema.shape;

/** A merchant's name as screens show it. */
export const { name: merchantName, timeZone: merchantTimeZone } = merchants.element.shape;

/** A channel of the configuration, without the settings that only a gateway on a network needs. */
export const channelSchema = gatewayChannelSchema
  .omit({ id: true, secret: true, merchant: true, allowFrom: true })
  .superRefine(({ aggregator: name, settings }, context) => {
    const aggregator = Object.hasOwn(aggregators, name) ? aggregators[name] : undefined;
    if (!aggregator) {
      const message = `expected one of ${aggregatorNames.join(', ')}`;
      context.addIssue({ code: 'custom', path: ['aggregator'], message });
      return;
    }
    const checked = aggregator.settings.safeParse(settings ?? {});
    for (const { path, message } of checked.error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: ['settings', ...path], message });
    }
  });

export type Channel = z.output<typeof channelSchema>;

/** The channel of a till, with most settings of a channel in the gateway's configuration. */
export type ChannelOptions = z.input<typeof channelSchema>;
