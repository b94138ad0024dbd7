import { describe, expect, test } from 'vitest';
import { startDialogue } from '../../src/menu/state/start-dialogue.ts';
import type { MenuContext, PaymentSummary } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { context, menuIn } from './support.ts';

/** No fee on its confirm screen: nothing is wanted between what was dialled and the yes. */
const tickets = menuIn('fixtures/menus/tickets.yaml');

const twin: PaymentSummary = {
  id: 'col_1',
  payer: context.dialler,
  dialler: context.dialler,
  amountMinor: amountMinor(25_00),
  chargeMinor: 25_00,
  reference: 'ADULT',
  shortReference: '48217362',
  at: context.now - 60_000,
  state: 'paid',
};

describe('a yes that was dialled along', () => {
  const worlds: [string, MenuContext][] = [
    ['the first of its kind', context],
    ['the same as one that was just paid', { ...context, duplicateOf: () => twin }],
  ];

  test.each(worlds)('of a payment that is %s is not taken: the confirm screen is shown', (_, world) => {
    // The amount, the name, the wallet, and yes: twice, for the second question.
    const confirm = startDialogue(tickets, { suffix: ['2', 'Ama', '1', '7', '9'] }, world);
    expect(confirm.intent).toBeUndefined();
    expect(confirm.state.screen).toBe('confirm');
    expect(confirm.reply.text).toContain('GHS 25.00 (twenty-five cedis) from 0244123456');
    expect(confirm.reply.text).toContain('7. Pay');
    expect(confirm.state).not.toHaveProperty('twin');
  });

  test('leaves the screen that asks about the same again to who has read both', () => {
    const [, [, world]] = worlds as [unknown, (typeof worlds)[number]];
    const confirm = startDialogue(tickets, { suffix: ['2', 'Ama', '1', '7', '9'] }, world);
    const again = step(tickets, confirm.state, '7', world);
    expect(again.state.screen).toBe('(duplicate)');
    expect(again.intent).toBeUndefined();
    expect(again.reply.text).toContain('You confirmed GHS 25.00');
  });
});
