import { describe, expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import type { PaymentSummary } from '../../src/menu/state/state.ts';
import { startDialogue, step } from '../../src/menu/state/step.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { context, menuIn } from './support.ts';

/** Its confirm screen has no fee, so no quote separates the suffix from the confirmation. */
const tickets = menuIn('fixtures/menus/tickets.yaml');

const duplicate: PaymentSummary = {
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

describe('a confirmation in a dialled suffix', () => {
  // The amount, the name, the wallet, the confirmation, and the confirmation of the duplicate.
  const confirm = startDialogue(tickets, { suffix: ['2', 'Ama', '1', '7', '9'] }, context);

  test('is ignored: the confirm screen is shown', () => {
    expect(confirm.intent).toBeUndefined();
    expect(confirm.effect?.kind).not.toBe('duplicate');
    expect(confirm.state.screen).toBe('confirm');
    expect(confirm.reply.text).toContain('GHS 25.00 (twenty-five cedis) from 0244123456');
    expect(confirm.reply.text).toContain('7. Pay');
    expect(confirm.state).not.toHaveProperty('duplicate');
  });

  test('is not used for the duplicate screen after a typed confirmation', () => {
    const { effect } = step(tickets, confirm.state, '7', context);
    if (effect?.kind !== 'duplicate') throw new Error('expected a duplicate check');
    const shown = applyEffectResult(tickets, effect, { kind: 'duplicate', found: duplicate }, context);
    expect(shown.state.screen).toBe('(duplicate)');
    expect(shown.intent).toBeUndefined();
    expect(shown.reply.text).toContain('You confirmed GHS 25.00');
  });
});
