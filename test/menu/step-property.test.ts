import fc from 'fast-check';
import { expect, test } from 'vitest';
import { step } from '../../src/menu/state/step.ts';
import { countGsmSeptets } from '../../src/shared/screen-text.ts';
import { context, menuIn, start } from './support.ts';

/* What holds for every path of inputs. */

const shop = menuIn('fixtures/menus/shop.yaml');
const tickets = menuIn('fixtures/menus/tickets.yaml');
const unsequenced = { ...context, sequenced: false };

const input = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('1', '2', '3', '4', '7', '8', '20', '5.50', 'INV-1234', '0201234567', 'Ama'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
);
const menu = fc.constantFrom(shop, tickets);
const contexts = fc.constantFrom(context, unsequenced);

test('every input leads to a screen with text, and every state survives JSON', () => {
  fc.assert(
    fc.property(menu, contexts, fc.array(input, { maxLength: 15 }), (menu, from, inputs) => {
      let at = start(menu, from);
      for (const typed of inputs) {
        expect(JSON.parse(JSON.stringify(at.state))).toEqual(at.state);
        const next = step(menu, JSON.parse(JSON.stringify(at.state)), typed, from);
        expect(next).toEqual(step(menu, at.state, typed, from));
        expect(next.reply.text.length).toBeGreaterThan(0);
        if (next.intent) {
          expect(menu.screens[at.state.screen]?.kind).toBe('confirm');
          expect(next.reply.kind).toBe('end');
        }
        at = next;
      }
    }),
    { numRuns: 1000 },
  );
});

test('S02: on any path, a repeat of the last accepted input returns no intent', () => {
  fc.assert(
    fc.property(menu, contexts, fc.array(input, { maxLength: 12 }), (menu, from, inputs) => {
      let at = start(menu, from);
      for (const typed of inputs) {
        at = step(menu, at.state, typed, from);
        const repeated = step(menu, at.state, typed, from);
        expect(repeated.intent).toBeUndefined();
        if (menu.screens[at.state.screen]?.kind === 'confirm') {
          expect(repeated.state.screen).not.toBe('(cancelled)');
        }
      }
    }),
    { numRuns: 2000 },
  );
});

test('S02: without a sequence, a repeat of an accepted input changes neither screen nor answers', () => {
  fc.assert(
    fc.property(menu, fc.array(input, { maxLength: 12 }), (menu, inputs) => {
      let at = start(menu, unsequenced);
      for (const typed of inputs) {
        const next = step(menu, at.state, typed, unsequenced);
        const accepted =
          next.state.invalidInputs === 0 && next.state.lastInput === typed.trim().slice(0, 182);
        if (accepted && next.reply.kind === 'continue') {
          const { screen, answers, language } = step(menu, next.state, typed, unsequenced).state;
          expect({ screen, answers, language }).toEqual({
            screen: next.state.screen,
            answers: next.state.answers,
            language: next.state.language,
          });
        }
        at = next;
      }
    }),
    { numRuns: 1000 },
  );
});

test('for every input, a page fits its channel, and the back key never confirms', () => {
  const input = fc.oneof(
    fc.constantFrom('1', '2', '3', '4', '0', '00', '#', '99', '20', '0201234567', 'INV-1234'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 12 }), fc.integer({ min: 60, max: 182 }), (inputs, limit) => {
      let at = start(shop, { ...context, limit });
      for (const one of inputs) {
        const before = at.state;
        at = step(shop, before, one, { ...context, limit });
        if (at.reply.kind === 'continue') expect(countGsmSeptets(at.reply.text)).toBeLessThanOrEqual(limit);
        if (at.intent) expect([before.screen, ['1', '7'].includes(one.trim())]).toEqual(['confirm', true]);
      }
    }),
  );
});
