import { describe, expect, test } from 'vitest';
import type { LookupAnswer, LookupRequest } from '../../src/menu/state/state.ts';
import { schoolMenu } from '../kit/shop-menu.ts';
import { converse } from './conversation.ts';

/* A dialogue with a school that is asked for the amount due of a student number. */

const ama: LookupAnswer = { kind: 'found', fields: { student: 'Ama Mensah', due: 20_00 } };
const unknown: LookupAnswer = { kind: 'not_found' };
const owed = 'Ama Mensah owes GHS 20.00\n1. Pay it\n2. Another\n0. Back';
const askAgain = 'Not found. Please check and try again.\nStudent number:\n0. Back';

/** Types the inputs. The school has the student 1234. */
function ask(
  inputs: string[],
  answer: (number: unknown) => LookupAnswer = (number) => (number === '1234' ? ama : unknown),
) {
  const asked: LookupRequest[] = [];
  const step = converse(schoolMenu, inputs, {
    lookup(request) {
      asked.push(request);
      return answer(request.values.number);
    },
  });
  return { ...step, numbers: asked.map(({ values }) => values.number) };
}

test.each<[inputs: string[], screen: string]>([
  [['1', '1234'], owed],
  [['1', '1111'], askAgain],
  [['1', '1111', '1234'], owed],
  [['1', '1111', '2222', '3333'], 'Too many invalid entries. Nothing was paid. Please dial again.'],
  [['1', '1111', '1111', '1111'], 'Too many invalid entries. Nothing was paid. Please dial again.'],
  // A student that is found resets the count.
  [['1', '1111', '2222', '1234', 'Another', '3333'], askAgain],
])('%j', (inputs, screen) => {
  expect(ask(inputs).reply.text).toBe(screen);
});

test('the amount due is paid after a confirmation, with the number as reference', () => {
  expect(ask(['1', '1234', 'Pay it']).reply.text).toMatch(/^Pay GHS 20\.00/);
  expect(ask(['1', '1234', 'Pay it']).intent).toBeUndefined();
  expect(ask(['1', '1234', 'Pay it', 'Yes']).intent).toMatchObject({ amountMinor: 2_000, reference: '1234' });
});

describe('an equal lookup', () => {
  test('is run once in a dialogue; another one is run', () => {
    expect(ask(['1', '1234', '0', '1234']).numbers).toEqual(['1234']);
    expect(ask(['1', '1234', '0', '1235']).numbers).toEqual(['1234', '1235']);
  });

  test('is not run again after a resume', () => {
    const interrupted = ask(['1', '1234']).state;
    const resumed = converse(schoolMenu, ['Continue', '0', '1234'], {
      history: { interrupted },
      lookup: () => expect.unreachable(),
    });
    expect(resumed.reply.text).toBe(owed);
  });
});

test.each<[what: string, answer: LookupAnswer]>([
  ['no answer', { kind: 'none' }],
  ['a text', { kind: 'found', fields: 'Ama' }],
  ['a negative amount', { kind: 'found', fields: { student: 'Ama', due: -1 } }],
  ['an amount as text', { kind: 'found', fields: { student: 'Ama', due: '20' } }],
  ['more than the menu allows', { kind: 'found', fields: { student: 'Ama', due: 500_01 } }],
  ['half a pesewa', { kind: 'found', fields: { student: 'Ama', due: 20.5 } }],
])('after %s, the fallback is shown and shows nothing of the answer', (_, answer) => {
  const shown = ask(['1', '1234'], () => answer);
  expect(shown.reply.text).toBe('Amount:\n0. Back');
  expect(JSON.stringify(shown.state.answers)).not.toContain('Ama');
});
