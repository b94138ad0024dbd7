import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxAnswer } from '../../src/menu/prove/sizes.ts';
import type { AskScreen } from '../../src/menu/schema.ts';
import { readAnswer } from '../../src/menu/state/answer.ts';
import { answerPattern, compilePattern, hasReferenceCharacters } from '../../src/menu/state/pattern.ts';
import { countGsmSeptets } from '../../src/shared/screen-text.ts';
import { cpuMsOf } from '../kit/size.ts';

const question = (pattern: string): AskScreen => ({
  kind: 'ask',
  answer: 'reference',
  pattern,
  example: 'A',
  text: '',
  to: 'a',
});

// A backtracking engine needs 42 s, 2.3 s and 4.6 s. A linear one needs a few milliseconds.
test.each([
  ['\\w*[A-Z]*\\w*\\d*\\w*[A-Z]*\\w*\\d*\\w*-\\d', 'A'.repeat(64)],
  ['[A-Z]+ ?[A-Z]* ?[A-Z]* ?[A-Z]* ?[A-Z]* ?[A-Z]*', `${'A'.repeat(63)}!`],
  ['(A+A+)+B', 'A'.repeat(25)],
])('an answer is matched in linear time: %s', (pattern, input) => {
  const ms = cpuMsOf(() => expect(readAnswer(question(pattern), input, {}).ok).toBe(false));
  expect(ms).toBeLessThan(400);
});

test.each([
  ['[A', 'missing closing ]'],
  ['A(B', 'missing closing )'],
  ['(?=A)', 'invalid or unsupported Perl syntax'],
  ['x\n[A', 'missing closing ]'],
  ['A{999}', 'too many repetitions'],
])('the pattern %j is refused: %s', (pattern, reason) => {
  expect(compilePattern(pattern)).toEqual({ ok: false, reason });
  expect(() => answerPattern(pattern)).toThrow(new SyntaxError(`invalid pattern: ${reason}`));
});

test('a pattern accepts whole texts, and is compiled once', () => {
  const { accepts } = answerPattern('[A-Z]{2}');
  expect(['AB', 'A', 'ABC', 'ab'].map(accepts)).toEqual([true, false, false, false]);
  expect(answerPattern('[A-Z]{2}')).toBe(answerPattern('[A-Z]{2}'));
});

test.each([
  ['', true],
  ['Inv 12/A-7.', true],
  ['A_1', false],
  ['_A', false],
  ['A#', false],
])('%j has only the characters of references: %s', (text, expected) => {
  expect(hasReferenceCharacters(text)).toBe(expected);
});

test('a pattern of the maximum size is matched without a noticeable delay', () => {
  for (const pattern of [
    '(\\w?){249}',
    '(\\w{1,9}){1,40}',
    '(\\w*){200}-',
    '\\w{300}\\w{300}\\w{300}',
    'A{998}',
  ]) {
    expect(compilePattern(pattern).ok).toBe(true);
    const ms = cpuMsOf(() => readAnswer(question(pattern), 'A'.repeat(64), {}));
    expect(ms).toBeLessThan(400);
  }
});

test('the longest answer is computed in a bounded time', () => {
  expect(cpuMsOf(() => maxAnswer('\\w*'.repeat(30), 64))).toBeLessThan(2_000);
  expect(cpuMsOf(() => maxAnswer('(((\\w*)*)*)*'.repeat(6), 64))).toBeLessThan(2_000);
});

/** Patterns of the parts that menus use. Groups are nested once: the native engine is exponential in the nesting. */
const atoms = fc.constantFrom(
  ...['A', 'b', '0', '-', ' ', '\\.', '.', '\\d', '\\w', '\\s', '\\D', '\\W', '\\S', '\\/', '\\-', '\\x41'],
  ...['[A-Z]', '[^A-Z]', '[A-Za-z0-9]', "[ .'-]", '[\\d-]', '[^\\w]'],
);
const counts = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '??');
const anchors = fc.constantFrom('^', '$');
const sequencesOf = (atom: fc.Arbitrary<string>) => {
  const part = fc.oneof(
    { weight: 9, arbitrary: fc.tuple(atom, counts).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: anchors },
  );
  const sequence = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
  return fc.array(sequence, { minLength: 1, maxLength: 3 }).map((alternatives) => alternatives.join('|'));
};
const groups = fc
  .tuple(fc.constantFrom('(', '(?:'), sequencesOf(atoms))
  .map(([open, inside]) => `${open}${inside})`);
const patterns = sequencesOf(fc.oneof({ weight: 3, arbitrary: atoms }, { weight: 1, arbitrary: groups }));

const inputs = fc.string({
  unit: fc.constantFrom('A', 'B', 'a', 'b', '0', '1', '-', '.', ' ', '/', "'", '_'),
  maxLength: 8,
});

test('patterns without lookarounds and backreferences mean the same as in JavaScript', () => {
  fc.assert(
    fc.property(patterns, fc.array(inputs, { minLength: 1, maxLength: 8 }), (pattern, texts) => {
      const compiled = compilePattern(pattern);
      fc.pre(compiled.ok);
      const native = new RegExp(`^(?:${pattern})$`);
      for (const text of texts)
        expect([text, compiled.ok && compiled.pattern.accepts(text)]).toEqual([text, native.test(text)]);
    }),
    { numRuns: 2_000 },
  );
});

test('most of the generated patterns compile', () => {
  const compiled = fc.sample(patterns, 500).filter((pattern) => compilePattern(pattern).ok);
  expect(compiled.length).toBeGreaterThan(400);
});

test('no accepted text is longer than the longest answer of its pattern', () => {
  const wide = fc.string({
    unit: fc.constantFrom('A', 'b', '0', '-', ' ', '[', '~', '|', '.'),
    maxLength: 12,
  });
  fc.assert(
    fc.property(patterns, wide, (pattern, text) => {
      const compiled = compilePattern(pattern);
      fc.pre(compiled.ok && compiled.pattern.accepts(text));
      const longest = maxAnswer(pattern, 64);
      expect(longest.length).toBeGreaterThanOrEqual(text.length);
      expect(countGsmSeptets(longest)).toBeGreaterThanOrEqual(countGsmSeptets(text));
    }),
    { numRuns: 300 },
  );
});
