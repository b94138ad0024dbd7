import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics, notReady } from '../../src/gateway/metrics/metrics.ts';
import { readMetrics } from '../gateway/metrics/read-metrics.ts';

const document = readFileSync('docs/metrics.md', 'utf8');

const build = { version: '0.1.0', node: '20.19.0', database: 'sqlite' } as const;

/** Records each metric once, so that every family has its labels. */
async function families() {
  const of = { merchant: 'shop', channel: 'till' };
  const paid = { ...of, network: 'mtn', outcome: 'paid', payments: 1, chargedMinor: 2_020 };
  const today = { payments: [paid], dialogues: [{ ...of, result: 'begun', dialogues: 1 }] };
  const metrics = createMetrics({ channels: ['till'], merchants: ['shop'], build }, async () => ({
    ...notReady,
    today,
  }));
  metrics.turn('till', 'end', 1);
  metrics.opened('shop');
  metrics.rejected('shop', 'open');
  metrics.redialled('shop', 'duplicate');
  metrics.lookedUp('shop', 'found', 1);
  metrics.quoted('shop', 'quoted', 1);
  metrics.statusAsked('shop', 'paid');
  metrics.keyRejected('shop');
  metrics.called('shop', 'create', 'ok', 20);
  metrics.closed('shop', 'failed', 'payer', 20_000);
  metrics.committed(1);
  return readMetrics(await metrics.text());
}

test('the document has a row for each of our families, with its kind and its labels, and none beyond', async () => {
  const own = [...(await families()).values()].filter(({ name }) => name.startsWith('dialtill_'));
  const rows = own.map(({ name, type, samples }) => {
    const labels = Object.keys(samples[0]?.labels ?? {}).filter((label) => label !== 'le');
    return [name, type, labels.map((label) => `\`${label}\``).join(', ')];
  });
  const written = document.matchAll(/^\| `(dialtill_\w+)` \| (\w+) \| ?(.*?) ?\| /gm);
  expect([...written].map(([, ...cells]) => cells)).toEqual(rows);
});

test('what it says of the process is there', async () => {
  const known = await families();
  const named = [...document.matchAll(/`((?:process|nodejs)_\w+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('its examples are YAML', () => {
  const blocks = [...document.matchAll(/^```yaml\n([\s\S]+?)^```$/gm)].map(([, yaml = '']) => parse(yaml));
  expect(blocks.map((block) => Object.keys(block))).toEqual([
    ['metrics'],
    ['scrape_configs'],
    ['rule_files'],
  ]);
});
