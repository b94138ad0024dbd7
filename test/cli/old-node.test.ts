import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
const needed = engines.node.replace('>=', '');

/** Runs a program as another version of Node would, which could not load its imports. */
function runOn(version: string, program: string) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program, '--version'];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

test.each(['src/cli/main.ts', 'tools/check-node.mjs', 'tools/build.mjs'])(
  'an older Node gets one sentence from %s that says what to install',
  (program) => {
    for (const version of ['18.20.8', '20.20.2', '22.11.0']) {
      const { status, stdout, stderr } = runOn(version, program);
      expect(stderr).toMatch(
        new RegExp(`^dialtill needs Node ${needed} or newer, and this is Node ${version}\\. .*Node 24.*\n$`),
      );
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    }
  },
);

test.each(['22.12.0', '24.0.0', '26.1.0'])('Node %s passes the check', (version) => {
  expect(runOn(version, 'tools/check-node.mjs')).toMatchObject({ status: 0, stderr: '' });
});

test('the checks come before every import', () => {
  expect(readFileSync('src/cli/main.ts', 'utf8')).not.toMatch(/^import /m);
  for (const script of ['tools/build.mjs', 'tools/install.mjs'])
    expect(/^import .*$/m.exec(readFileSync(script, 'utf8'))?.[0], script).toBe("import './check-node.mjs';");
});
