import { describe, expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import { menuSchema } from '../../src/menu/schema.ts';
import type { LookupAnswer, Step } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { context, start, walk } from './support.ts';

/** A menu that looks up a student by number and can use the amount due. */
const schoolAt = (url?: string) =>
  menuSchema.parse({
    languages: ['en'],
    start: 'number',
    screens: {
      number: {
        kind: 'ask',
        answer: 'text',
        name: 'number',
        pattern: '[A-Za-z0-9./?=]{2,9}|[.]',
        text: 'Student number:',
        to: 'find',
      },
      find: {
        kind: 'lookup',
        ...(url !== undefined && { url }),
        take: { student: { text: 20 }, due: { amount: '500.00' } },
        found: 'owed',
        notFound: 'owed',
        fallback: 'owed',
      },
      owed: {
        kind: 'choose',
        text: 'Number {number}\nStudent {student}\nDue {due}',
        options: [
          {
            label: 'Pay {due}',
            when: { value: 'due', known: true },
            set: { payer: 'own', amount: '{due}', reference: '{student}' },
            to: 'confirm',
          },
          { label: 'Another student', to: 'number' },
          { label: 'Another amount', to: 'amount' },
        ],
      },
      amount: { kind: 'ask', answer: 'amount', min: '1.00', max: '500.00', text: 'Amount:', to: 'confirm' },
      confirm: { kind: 'confirm', text: 'Pay {amount}?\nFor {student}', to: 'done' },
      done: { kind: 'end', text: 'Approve {amount}.' },
    },
  });

const school = schoolAt();

/** Types an input and applies the answer to the lookup that follows. */
function typeAndAnswer(before: Step, typed: string, answer: LookupAnswer): Step {
  const { effect } = step(school, before.state, typed, context);
  if (effect?.kind !== 'lookup') throw new Error('expected a lookup effect');
  return applyEffectResult(school, effect, { kind: 'lookup', answer }, context);
}

const found = (fields: unknown): LookupAnswer => ({ kind: 'found', fields });

describe('the second lookup of a dialogue, after another student was found', () => {
  const first = typeAndAnswer(start(school, context), 'A1', found({ student: 'Ama', due: 30_000 }));
  const numberScreen = walkOn(first, '2');

  test.each<[string, LookupAnswer, string]>([
    ['that finds no amount due shows only the name', found({ student: 'Kofi' }), 'Student Kofi\n'],
    ['that finds no name shows only the amount due', found({ due: 500 }), 'Due GHS 5.00\n1. Pay'],
    ['that finds no student shows nothing', { kind: 'not_found' }, '1. Another student'],
    ['without an answer shows nothing', { kind: 'none' }, '1. Another student'],
    ['with an invalid answer shows nothing', found({ due: -1 }), '1. Another student'],
  ])('%s', (_, answer, shown) => {
    const second = typeAndAnswer(numberScreen, 'B2', answer);
    expect(first.reply.text).toContain('Student Ama\nDue GHS 300.00\n1. Pay GHS 300.00');
    expect(second.reply.text).toContain(`Number B2\n${shown}`);
    expect(JSON.stringify([second.reply, second.state.answers])).not.toMatch(/Ama|300/);
  });

  test('shows and collects nothing of the first student', () => {
    const second = typeAndAnswer(numberScreen, 'B2', { kind: 'none' });
    const confirm = walkOn(second, '2', '20');
    expect(confirm.reply.text).toMatch(/^Pay GHS 20\.00\?\nA fee may apply\.\n1\. Yes/);
    expect(walkOn(confirm, '1').intent).toMatchObject({ amountMinor: 2_000, reference: undefined });
  });

  test('going back to the first student shows the first student', () => {
    const second = typeAndAnswer(numberScreen, 'B2', { kind: 'none' });
    expect(walkOn(second, '0', '0').reply.text).toContain('Number A1\nStudent Ama\nDue GHS 300.00');
  });
});

function walkOn(from: Step, ...inputs: string[]): Step {
  return inputs.reduce((at, input) => step(school, at.state, input, context), from);
}

describe('a URL with a typed value', () => {
  test.each(['.', '..'])('sends no request for %j, which would change the path', (typed) => {
    for (const url of ['/students/{number}/dues', '/students/{number}']) {
      const { effect, reply } = walk(schoolAt(url), [typed]);
      expect(effect).toBeUndefined();
      expect(reply.text).toContain('1. Another student');
    }
  });

  test.each([
    ['...', '/students/...'],
    ['../x', '/students/..%2Fx'],
    ['a.b', '/students/a.b'],
    ['A1?x=1', '/students/A1%3Fx%3D1'],
  ])('contains %j as one path segment', (typed, url) => {
    expect(walk(schoolAt('/students/{number}'), [typed]).effect).toMatchObject({ kind: 'lookup', url });
  });
});
