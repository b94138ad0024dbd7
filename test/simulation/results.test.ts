import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { describeSeeds, readResults, type SeedResult, saveResult } from './results.ts';

const result = (from: number, to: number, changes: Partial<SeedResult> = {}): SeedResult => ({
  ...{ peer: 'oracle', gateways: 1, days: 0.25, from, to, hours: 3_500, collections: 5_000 },
  ...{ prompts: 4_000, charges: 2_000, violations: 0, node: 'v24.21.0', ...changes },
});

test('a run replaces the earlier runs of its seeds, and no others', () => {
  const file = join(temporaryFolder(), 'seeds.json');
  expect(readResults(file)).toEqual([]);
  const kept = [result(1, 500), result(501, 1_000, { peer: 'service' }), result(1_001, 1_500)];
  for (const one of [...kept, result(501, 1_000, { violations: 1 })]) saveResult(file, one);
  saveResult(file, result(501, 1_000));
  expect(readResults(file)).toEqual([result(1, 500), result(501, 1_000), kept[2], kept[1]]);
});

test('the notes of a release state the seeds of each world', () => {
  const three = result(1, 100, { gateways: 3, violations: 1 });
  const [older, newer] = [
    result(1, 500, { program: '0a1b2c3d' }),
    result(501, 1_000, { program: '4e5f6a7b' }),
  ];
  expect(describeSeeds([older, newer, three])).toBe(
    [
      'Simulated with faults:',
      '',
      '- one gateway beside the oracle: 1,000 seeds, 7,000 hours, 10,000 collections, 4,000 charges, 0 violations (program 0a1b2c3d, 4e5f6a7b)',
      '- 3 gateways on PostgreSQL: 100 seeds, 3,500 hours, 5,000 collections, 2,000 charges, 1 violation',
    ].join('\n'),
  );
});
