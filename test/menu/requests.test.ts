import { expect, test } from 'vitest';
import { formatFileErrors } from '../../src/shared/yaml.ts';
import { context, loadText, walk } from './support.ts';

const text = `languages: [en, tw]
askLanguage: false
start: first
screens:
  first:
    kind: choose
    text: Hi
    options:
      - { label: Requests, to: requests }
      - { label: Twi, language: tw, to: requests }
      - { label: Pay, set: { amount: "5.00" }, to: confirm }
  requests: { kind: requests, text: "Payments to {merchant}" }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: Thanks }
`;

function menu() {
  const loaded = loadText(text);
  if (!loaded.ok) throw new Error(formatFileErrors(loaded.errors));
  return loaded.menu;
}

const screen = (...lines: string[]) => ['Payments to Demo Shop', ...lines, '0. Back'].join('\n');

test.each([
  [false, 'yes', 'Block requests'],
  [true, 'no', 'Allow requests'],
])(
  'the requests screen shows the setting and offers the opposite (blocked: %s)',
  (blocksRequests, holds, offered) => {
    const world = { ...context, blocksRequests };
    expect(walk(menu(), ['1'], world).reply.text).toBe(
      screen(`Others can ask you to pay: ${holds}`, `1. ${offered}`, '2. Leave unchanged'),
    );
    expect(walk(menu(), ['1', '1'], world).preferences).toEqual([
      { kind: 'requests', blocksRequests: !blocksRequests },
    ]);
    expect(walk(menu(), ['1', '2'], world)).toMatchObject({ reply: { text: 'No change was made.' } });
    expect(walk(menu(), ['1', '2'], world).preferences).toBeUndefined();
  },
);

test('the requests screen has Twi texts', () => {
  const lines = ['Afoforo betumi abisa wo sika: aane', '1. Siw abisade kwan', '2. Gyae no saa'];
  expect(walk(menu(), ['2']).reply.text).toBe(['Payments to Demo Shop', ...lines, '0. San'].join('\n'));
});
