import { expect, test } from 'vitest';
import { explainLedger } from './explain.ts';
import { planOf, run } from './run.ts';

/** Plays a small plan and returns its story. */
async function storyOf(seed: number): Promise<string> {
  let story = '';
  const plan = { ...planOf(seed, 0.05), visits: 4, payers: 2, features: [] };
  await run(plan, async (file) => {
    story = await explainLedger(file);
  });
  return story;
}

test('a seed is explained payer by payer, from the dialled code to the result, and alike at each replay', async () => {
  const story = await storyOf(7);
  expect(story).toMatch(/^payer 0\d{9}\n\ncol_\w+: .+ The result is final\.\n {2}2026-03-06 06:\d\d:\d\d/);
  const [first = ''] = story.split(/\n\n(?=col_|dlg_)/).slice(1);
  const inOrder = [
    'dialled',
    'Pay GHS',
    'accepted: price',
    'create: payment session',
    'initiate: sent',
    'poll',
  ];
  const places = inOrder.map((text) => first.indexOf(text));
  expect(places).toEqual(places.filter((place) => place >= 0).toSorted((a, b) => a - b));
  expect(await storyOf(7)).toBe(story);
});
