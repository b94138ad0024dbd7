import { expect, test } from 'vitest';
import { fingerprintOf, storedStateOf, storeState } from '../../../src/gateway/dialogue/stored-state.ts';
import { loadMenu } from '../../../src/menu/file/load.ts';
import type { MenuState } from '../../../src/menu/state/state.ts';

const loaded = loadMenu('fixtures/menus/shop.yaml');
if (!loaded.ok) throw new Error('the menu does not load');
const { menu } = loaded;

const first: MenuState = { screen: 'welcome', language: 'en', answers: {}, invalidInputs: 0 };
const later: MenuState = {
  ...{ screen: 'confirm', language: 'tw', invalidInputs: 2, lastInput: '28', page: 1 },
  answers: { amountMinor: 2_800 as never },
  history: [
    { screen: 'welcome', answers: {} },
    { screen: 'amount', answers: { reference: 'INV-7' } },
    { screen: 'reference', answers: {} },
  ],
};

test.each([
  ['of a first screen', first],
  ['with answers, invalid inputs and screens to go back to', later],
])('a stored state %s is read as it was', (_, state) => {
  const stored = storeState({ state, reply: { kind: 'continue', text: '' } }, menu);
  expect(storedStateOf({ state: stored })).toEqual({ ...state, menu: fingerprintOf(menu) });
});

test('the state of a dialogue that has ended has no screens to go back to, and everything else', () => {
  const { history: _, ...rest } = later;
  const stored = storeState({ state: later, reply: { kind: 'end', text: '' } }, menu);
  expect(storedStateOf({ state: stored })).toEqual({ ...rest, menu: fingerprintOf(menu) });
});
