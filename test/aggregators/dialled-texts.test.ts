import { describe, expect, test } from 'vitest';
import {
  beginsLikeDial,
  dialledAnswers,
  dialledSuffix,
  isDialString,
  isDistinctDial,
  readCumulativeText,
  splitParts,
} from '../../src/aggregators/dial-string.ts';

const code = '*415*33#';
/** A dialled string of a length. */
const ofLength = (length: number) => `${'*415*33*'.padEnd(length - 1, '1')}#`;

test.each([
  ['*713*5#', true],
  ['*713*5*20#', true],
  ['*7#', true],
  [ofLength(182), true],
  [ofLength(183), false],
  ['713*5#', false],
  ['*713*5', false],
  ['**713#', false],
  ['*#', false],
  ['*713*a#', false],
  ['1*713#', false],
  ['*713#1', false],
])('%j can be dialled: %s', (text, can) => {
  expect(isDialString(text)).toBe(can);
});

test.each([
  ['*999*1', true],
  ['**713', true],
  ['#713', true],
  ['* 713', true],
  ['*  713', true],
  ['*71', false],
  ['713', false],
  ['1*713', false],
  ['*a713', false],
])('%j looks dialled: %s', (text, looks) => {
  expect(beginsLikeDial(text)).toBe(looks);
});

test.each([
  ['*713', '*713#', true],
  ['#713', '*713#', true],
  ['713', '*713#', false],
  ['713*5', '*713*5#', true],
  ['1*1', '*713#', false],
  ['1#', '*713#', false],
])('%j is no answer of a payer to %s: %s', (text, serviceCode, isDial) => {
  expect(isDistinctDial(text, serviceCode)).toBe(isDial);
});

test('the parts of a dialled string are those between the signs, without blanks', () => {
  expect(splitParts(' * 415 *33#*1#20## ')).toEqual(['415', '33', '1', '20']);
});

describe('the dialled answers', () => {
  test.each<[string, string[] | undefined]>([
    ['*415*33#', []],
    ['*415*33*1*20#', ['1', '20']],
    ['415*33#*20##', ['20']],
    [' * 415 * 33 * 1 #', ['1']],
    ['*415*331#', undefined],
    ['*415#', undefined],
    ['*416*33*1#', undefined],
    ['33*1', undefined],
    [ofLength(182), ['1'.repeat(173)]],
    [ofLength(183), undefined],
  ])('of %j are %j', (dialled, answers) => {
    expect(dialledSuffix(dialled, code)).toEqual(answers);
  });

  test.each<[string, string, string[] | undefined]>([
    ['*415*33*1#', code, ['1']],
    ['33*1', code, ['1']],
    ['*33#', code, []],
    ['33#1', code, ['1']],
    ['331', code, undefined],
    ['1', code, undefined],
    ['3*1*7', '*415*3*1#', ['7']],
    ['1*7', '*415*3*1#', ['7']],
    ['415*3*1*7', '*415*3*1#', ['7']],
    // The longest end of the code comes first.
    ['33*33*1', '*415*33*33#', ['1']],
  ])('of %j with the code %s or its end are %j', (dialled, serviceCode, answers) => {
    expect(dialledAnswers(dialled, serviceCode)).toEqual(answers);
  });
});

describe('a cumulative text', () => {
  test.each<[string, ReturnType<typeof readCumulativeText>, string?]>([
    ['', { text: '' }],
    ['  ', { text: '' }],
    ['*415*33#', { text: '', suffix: [] }],
    ['*415*33*1#', { text: '1', suffix: ['1'] }],
    ['*415*33#*1*20', { text: '1*20', suffix: ['1', '20'] }],
    ['*415*33##1##20##', { text: '1*20', suffix: ['1', '20'] }],
    ['**415*33*1', { text: '1', suffix: ['1'] }],
    ['*#* 415*33*1', { text: '1', suffix: ['1'] }],
    ['415*33*1', { text: '1', suffix: ['1'] }],
    [' *415*33*1# ', { text: '1', suffix: ['1'] }],
    ['  *415*33*1#  ', { text: '1', suffix: ['1'] }],
    ['33', { text: '33', suffix: [] }],
    ['33*1', { text: '33*1', suffix: ['1'] }],
    ['*33*1', { text: '33*1', suffix: ['1'] }],
    ['#33*1#', { text: '33*1', suffix: ['1'] }],
    ['1*20', { text: '1*20' }],
    ['1*33', { text: '1*33' }],
    ['1#20', { text: '1*20' }],
    ['1##20', { text: '1*20' }],
    ['1##*20##', { text: '1*20' }],
    // A sign alone is an answer, and so is a blank behind an answer.
    ['1*#', { text: '1*#' }],
    ['1*##*2', { text: '1*##*2' }],
    ['#', { text: '#' }],
    ['*', { text: '*' }],
    ['*#1', { text: '*#1' }],
    ['1*a ', { text: '1*a ' }],
    ['1# 20', { text: '1# 20' }],
    ['a#b', { text: 'a#b' }],
    ['1#b', { text: '1#b' }],
    ['a#1', { text: 'a#1' }],
    // The code of one part is no dial without its sign: it can be an answer.
    ['20*1', { text: '20*1', suffix: ['1'] }, '*20#'],
    ['*20*1', { text: '1', suffix: ['1'] }, '*20#'],
    ['  *20*1', { text: '1', suffix: ['1'] }, '*20#'],
  ])('%j is %j', (text, read, serviceCode = code) => {
    expect(readCumulativeText(text, serviceCode, true)).toEqual(read);
  });

  test.each<[string, ReturnType<typeof readCumulativeText>]>([
    ['*415*33*1#', { text: '1', suffix: ['1'] }],
    ['33*1', { text: '33*1' }],
    ['1#', { text: '1#' }],
    ['1*20 ', { text: '1*20 ' }],
    [' ', { text: '' }],
  ])('%j is %j where no end of the code is sent', (text, read) => {
    expect(readCumulativeText(text, code, false)).toEqual(read);
  });
});
