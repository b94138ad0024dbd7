import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cli, launch, type Program, run } from '../../test/kit/launch.ts';
import { changePorts } from '../../test/process/free-port.ts';

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', [...args, '--no-fund', '--no-audit'], { cwd, encoding: 'utf8', stdio: 'pipe' });

/**
 * Installs a tarball into an empty project, as a merchant's developer does, and takes the first steps of the documents: `init`, `dev`, a
 * payment and its notification, a backup, and its restore.
 *
 * @param major the version of Node, which npm installs.
 * @returns the version of Node, and what was seen.
 * @throws Error when a step fails.
 */
export async function takeFirstSteps(tarball: string, major: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-release-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const runtime = `node-${process.platform}-${process.arch}`;
    npm(folder, 'install', tarball, `${runtime}@${major}`);
    const node = join(folder, 'node_modules', runtime, 'bin/node');
    await payAndRestore(folder, node);
    return `${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}: paid, notified, restored`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function payAndRestore(folder: string, node: string): Promise<void> {
  const cli: Cli = [node, join(folder, 'node_modules/dialtill/dist/cli/main.js')];
  const step = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(cli, args, folder);
    if (code !== 0) throw new Error(`dialtill ${args.join(' ')} exited with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  const programs: Program[] = [];
  const start = (...command: Cli) => {
    const program = launch(command, { cwd: folder, env: { DIALTILL_DATA: './data' } });
    programs.push(program);
    return program;
  };
  try {
    await step('init', '--yes', '--system');
    await changePorts(folder);
    const system = start(node, '--env-file=.env', 'hooks.mjs');
    const first = start(...cli, 'dev');
    await first.waitForOutput(/Stop with ctrl-c/);
    await step('dial', '*713*5#', '--msisdn', '0244123456', '--input', '1,20,1', '--approve');
    await within(system.waitForOutput(/payment\.paid/), 'the notification');
    await step('backup', '--to', 'copy.db');
    await first.end('SIGTERM');
    await step('restore', 'copy.db');
    const second = start(...cli, 'dev');
    await second.waitForOutput(/Stop with ctrl-c/);
    // A restored gateway takes no payment during its first minutes.
    const found = (await step('ledger', 'verify')) + (await step('ledger', 'find', '0244123456'));
    if (!/ledger: ok[\s\S]+ paid /.test(found)) throw new Error(`after the restore: ${found}`);
  } catch (cause) {
    const output = programs.map((one) => one.stdout() + one.stderr()).join('\n');
    throw new Error(`${cause}\n${output}`, { cause });
  } finally {
    await Promise.all(programs.map((one) => one.end('SIGTERM')));
  }
}

async function within<T>(work: Promise<T>, what: string, ms = 30_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${ms / 1_000} s`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
