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
