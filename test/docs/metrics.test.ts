import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/gateway/metrics/metrics.ts';
import { readMetrics } from '../gateway/metrics/read-metrics.ts';

const document = readFileSync('docs/metrics.md', 'utf8');

/** Records each metric once, so that every family has its labels. */
async function families() {
  const metrics = createMetrics({ channels: ['till'], merchants: ['shop'] });
  metrics.turn('till', 'end', 1);
  metrics.opened('shop');
  metrics.rejected('shop', 'open');
  metrics.redialled('shop', 'duplicate');
  metrics.lookedUp('shop', 'found', 1);
  metrics.quoted('shop', 'quoted', 1);
  metrics.statusAsked('shop', 'paid');
  metrics.keyRejected('shop');
  metrics.called('shop', 'create', 'ok');
  metrics.closed('shop', 'failed', 'payer');
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

test('its examples are YAML, and its alerts ask for series that there are', async () => {
  const blocks = [...document.matchAll(/^```yaml\n([\s\S]+?)^```$/gm)].map(([, yaml = '']) => parse(yaml));
  expect(blocks.map((block) => Object.keys(block))).toEqual([['metrics'], ['scrape_configs'], ['groups']]);
  const series = new Set(
    [...(await families()).values()].flatMap((one) => one.samples.map(({ name }) => name)),
  );
  const rules: { alert: string; expr: string }[] = blocks[2].groups[0].rules;
  expect(rules.map(({ alert }) => alert)).toHaveLength(6);
  const asked = rules.flatMap(({ expr }) => expr.match(/dialtill_\w+/g) ?? []);
  expect(asked).toHaveLength(7);
  expect(asked.filter((name) => !series.has(name))).toEqual([]);
});
