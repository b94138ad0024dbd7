import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/gateway/metrics/metrics.ts';
import { readMetrics } from '../gateway/metrics/read-metrics.ts';
import { alerts, alertsFile, dashboardFile, writtenAlerts, writtenDashboard } from './observability.ts';

const rules: { alert: string; expr: string; annotations: { runbook: string } }[] = parse(
  readFileSync(alertsFile, 'utf8'),
).groups[0].rules;

/** The names of all series that the gateway can have. */
async function seriesNames(): Promise<Set<string>> {
  const build = { version: '0', node: '0', database: 'sqlite' } as const;
  const metrics = createMetrics({ channels: ['till'], merchants: ['shop'], build });
  const found = readMetrics(await metrics.text());
  const ofHistogram = (name: string) => ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`);
  return new Set(
    [...found.values()].flatMap(({ name, type }) => (type === 'histogram' ? ofHistogram(name) : [name])),
  );
}

const namesIn = (text: string) => text.match(/\b(?:dialtill|process|nodejs)_\w+/g) ?? [];

test('the files are what npm run docs writes', () => {
  expect(readFileSync(alertsFile, 'utf8')).toBe(writtenAlerts());
  expect(readFileSync(dashboardFile, 'utf8')).toBe(writtenDashboard());
});

test('every rule and every panel asks for series that the gateway has', async () => {
  const known = await seriesNames();
  const dashboard = readFileSync(dashboardFile, 'utf8');
  const exprs = [...dashboard.matchAll(/"expr": "(.*)"/g)].map(([, expr = '']) => expr);
  expect(exprs.length).toBeGreaterThan(20);
  const asked = [...rules.map(({ expr }) => expr), ...exprs].flatMap(namesIn);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
});

test('every alert has a runbook, and every runbook an alert', () => {
  const document = readFileSync('docs/operations/runbooks.md', 'utf8');
  const headings = [...document.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);
  expect(headings).toEqual(alerts.map(({ name }) => name));
  expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
    headings.map((name) => `docs/operations/runbooks.md#${name.toLowerCase()}`),
  );
});
