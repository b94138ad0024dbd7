import { expect, test } from 'vitest';
import { generic } from '../../src/aggregators/generic/generic.ts';
import { nalo } from '../../src/aggregators/nalo/nalo.ts';
import {
  aggregatorNames,
  aggregators,
  demoChannels,
  simulatedAggregators,
} from '../../src/aggregators/registry.ts';

test('the aggregators are in the order of the documents', () => {
  expect(aggregatorNames.join(' ')).toBe(
    'africastalking hubtel nalo arkesel moolre wigal-v1 wigal-v2 txtghana korba uzo emergent nsano orchard southpawsl beem infobip ' +
      'sendexa kairos hellio mtn-madapi mnotify generic',
  );
});

test('each aggregator and its simulated side have its name', () => {
  expect(Object.keys(aggregators)).toEqual(aggregatorNames);
  expect(Object.values(aggregators).map(({ name }) => name)).toEqual(aggregatorNames);
  expect(Object.keys(simulatedAggregators)).toEqual(aggregatorNames);
  expect(aggregators.nalo).toBe(nalo.aggregator);
  expect(simulatedAggregators.nalo).toBe(nalo.simulated);
});

test('the demo has a channel for each aggregator, with its own code', () => {
  expect(demoChannels.map(({ aggregator }) => aggregator)).toEqual(aggregatorNames);
  expect(new Set(demoChannels.map(({ serviceCode }) => serviceCode)).size).toBe(aggregatorNames.length);
  const channelOf = (name: string) => demoChannels.find(({ id }) => id === name);
  expect(channelOf('nalo')).toStrictEqual({ id: 'nalo', aggregator: 'nalo', serviceCode: nalo.demoCode });
  const { demoCode, demoSettings } = generic;
  expect(channelOf('generic')).toStrictEqual({
    id: 'generic',
    aggregator: 'generic',
    serviceCode: demoCode,
    settings: demoSettings,
  });
});
