import type { z } from 'zod';
import { aggregatorNames, aggregators } from '../aggregators/registry.ts';
import { configSchema, channelSchema as gatewayChannelSchema } from '../gateway/config/schema.ts';

const { merchants } = configSchema.shape;

/** A merchant's name, as payers read it. */
export const merchantName = merchants.element.shape.name;

/** A channel as the configuration has it, without what only a gateway on a network needs. */
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

/** The channel through which phones reach a till. Most of what a gateway's channel may say can be said here. */
export type ChannelOptions = z.input<typeof channelSchema>;
