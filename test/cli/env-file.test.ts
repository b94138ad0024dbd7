import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHiddenVariables, withEnvFile } from '../../src/cli/env-file.ts';
import { UserError } from '../../src/shared/errors.ts';
import { temporaryFolder } from '../kit/folder.ts';

const file = () => join(temporaryFolder(), 'till.env');

test('variables of the named file are added, and those of the environment take precedence, also empty ones', () => {
  const named = file();
  writeFileSync(named, '# secrets\nA=1\nB="two words"\nexport C=3\nD=4\n');
  const env = { DIALTILL_ENV_FILE: named, A: 'mine', D: '', E: undefined };
  expect(withEnvFile(env)).toEqual({ DIALTILL_ENV_FILE: named, A: 'mine', B: 'two words', C: '3', D: '' });
});

test('variables that the environment has with another value are hidden, also by an empty one', () => {
  const named = file();
  writeFileSync(named, 'A=1\nB=2\nC=3\nD=4\n');
  const env = { DIALTILL_ENV_FILE: named, A: 'mine', B: '2', D: '' };
  expect(Object.fromEntries(findHiddenVariables(env))).toEqual({ A: named, D: named });
  expect(findHiddenVariables({ A: 'mine' }).size).toBe(0);
});

test('a named file that does not exist, is a folder or is too large is an error', () => {
  const [missing, folder, large] = [file(), file(), file()];
  mkdirSync(folder);
  writeFileSync(large, `A=${'x'.repeat(65 * 1024)}`);
  expect(() => withEnvFile({ DIALTILL_ENV_FILE: missing })).toThrow(UserError);
  expect(() => withEnvFile({ DIALTILL_ENV_FILE: folder })).toThrow(
    'expected an env file of at most 65536 bytes',
  );
  expect(() => withEnvFile({ DIALTILL_ENV_FILE: large })).toThrow(
    'expected an env file of at most 65536 bytes',
  );
});

test.each([
  ['A=1\nSECRET=abc#def\n', 2, 'SECRET'],
  ['SECRET=#def', 1, 'SECRET'],
  ["A='#\n#'\nexport SECRET = abc#def # a comment", 3, 'SECRET'],
  ['SECRET="abc#def', 1, 'SECRET'],
])('a value that a # would cut is an error, and its text is not shown: %j', (text, line, name) => {
  const named = file();
  writeFileSync(named, text);
  for (const read of [withEnvFile, findHiddenVariables])
    expect(() => read({ DIALTILL_ENV_FILE: named })).toThrow(
      new UserError(
        `${named}:${line}: a # in the value of ${name} would begin a comment: quote the value, as in ${name}='...'`,
      ),
    );
});

test('a # in quotes, or in a comment, is no error', () => {
  const named = file();
  const lines = ['# A=b#c', 'B="a#b"', "C='a#b' # c#d", 'D=`a', 'X=a#b`', 'E=a # b#c', 'F= ## none', 'G'];
  writeFileSync(named, lines.join('\r\n'));
  const values = { B: 'a#b', C: 'a#b', E: 'a', F: '' };
  expect(withEnvFile({ DIALTILL_ENV_FILE: named })).toMatchObject(values);
});
