import type { Aggregator } from '../../src/aggregators/aggregator.ts';
import type { Dialect } from '../../src/aggregators/dialect.ts';
import { aggregators, demoChannels } from '../../src/aggregators/registry.ts';

/** The aggregator of that name. Throws when there is none. */
export function aggregatorOf(name: string): Aggregator {
  const aggregator = aggregators[name];
  if (!aggregator) throw new Error(`no aggregator ${name}`);
  return aggregator;
}

/** The channel through which the demo reaches an aggregator. Throws when there is none. */
export function demoChannelOf(name: string): (typeof demoChannels)[number] {
  const channel = demoChannels.find(({ aggregator }) => aggregator === name);
  if (!channel) throw new Error(`the demo has no channel for ${name}`);
  return channel;
}

/** An aggregator's dialect, with the demo's settings for it. */
export function createDialect(name: string, serviceCode: string): Dialect {
  const aggregator = aggregatorOf(name);
  const settings = aggregator.settings.parse(demoChannelOf(name).settings ?? {});
  return aggregator.createDialect({ serviceCode, operators: new Map(), settings });
}
