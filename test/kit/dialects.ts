import type { Aggregator, Dialect } from '../../src/aggregators/aggregator.ts';
import { aggregators, demoChannels } from '../../src/aggregators/registry.ts';

/** Returns the aggregator with that name. @throws Error when there is none. */
export function aggregatorOf(name: string): Aggregator {
  const aggregator = aggregators[name];
  if (!aggregator) throw new Error(`no aggregator ${name}`);
  return aggregator;
}

/** Returns the demo's channel for an aggregator. @throws Error when there is none. */
export function demoChannelOf(name: string): (typeof demoChannels)[number] {
  const channel = demoChannels.find(({ aggregator }) => aggregator === name);
  if (!channel) throw new Error(`the demo has no channel for ${name}`);
  return channel;
}

/** Creates an aggregator's dialect with the settings of the demo. */
export function createDialect(name: string, serviceCode: string): Dialect {
  const aggregator = aggregatorOf(name);
  const settings = aggregator.settings.parse(demoChannelOf(name).settings ?? {});
  return aggregator.createDialect({ serviceCode, operators: new Map(), settings });
}
