import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { createBench } from '../gateway/collection/bench.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { compiledModules } from '../process/compiled.ts';
import { programContext as context } from './support.ts';

/* Not long: it loads each command once, which later files of the process share. */

/** Returns the commands without subcommands, below and including this one. */
function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut(text) {
      help += text;
    },
  });
  command.outputHelp();
  return help;
}

describe.each(commands)('dialtill $name', ({ name, register }) => {
  test('registers one command of this name, and each command in it has an example in its help', async () => {
    const program = new Command('dialtill');
    await register(program, context);
    expect(program.commands.map((command) => command.name())).toEqual([name]);
    for (const command of program.commands.flatMap(leavesOf))
      expect(helpOf(command)).toMatch(/\nExamples?:\n/);
  });
});

/** Runs the compiled program. Returns its output and the URLs of the modules that it loaded. */
function run(...args: string[]) {
  const log = join(temporaryFolder(), 'modules.txt');
  const hook = `import { appendFileSync } from 'node:fs';
    export function load(url, context, next) {
      appendFileSync(${JSON.stringify(log)}, url + '\\n');
      return next(url, context);
    }`;
  const register = `import { register } from 'node:module';
    register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hook))});`;
  const preload = `data:text/javascript,${encodeURIComponent(register)}`;
  const command = ['--import', preload, compiledModules(), ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { stdout, stderr, status, modules: readFileSync(log, 'utf8').split('\n') };
}

test('--help lists every command with its description', () => {
  const { stdout, status } = run('--help');
  expect(status).toBe(0);
  const text = stdout.replace(/\s+/g, ' ');
  for (const { name, description } of commands) expect(text).toContain(` ${name} ${description}`);
});

test('--version loads no command, and ledger find neither the configuration schema nor the gateway', () => {
  const { modules: forVersion } = run('--version');
  expect(
    forVersion.filter((url) => /\/src\/(cli\/commands|gateway)\/|\/(zod|yaml|drizzle-orm)\//.test(url)),
  ).toEqual([]);
  const { file } = createBench();
  const { stdout, modules } = run('ledger', 'find', '0244123456', '--db', file);
  expect(stdout).toBe(
    'no collection found for 0244123456\nTo see its dialogues, run: dialtill ledger caller 0244123456\n',
  );
  const isHeavy = (url: string) =>
    /\/(zod|hono|pino|jiti|undici)\/|\/src\/(menu|aggregators|service)\//.test(url);
  expect(modules.filter(isHeavy)).toEqual([]);
});

test('an unknown command is wrong usage, with the nearest command as a suggestion', () => {
  const { stderr, status } = run('lgder');
  expect(stderr).toContain("unknown command 'lgder'");
  expect(stderr).toContain('Did you mean ledger?');
  expect(status).toBe(2);
});

test('an option with one value that is given twice is wrong usage, and names the option', () => {
  const { stdout, stderr, status } = run('ledger', 'list', '--status', 'paid', '--status', 'failed');
  expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
  expect(stderr).toContain("option '--status <status>' is given more than once");
});

test('an option of several values can be given several times', () => {
  const { stderr } = run('lookup', 'try', 'none.yaml', 'due', '--value', 'a=1', '--value', 'b=2');
  expect(stderr).toContain('none.yaml');
});
