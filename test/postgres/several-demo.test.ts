import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { run } from '../kit/launch.ts';
import { freePort } from '../process/free-port.ts';
import { dialtill } from '../process/processes.ts';
import { startSeveral } from '../several/start.ts';

test('payers dial and pay behind one address, also while one of two gateways is killed', async () => {
  const cli = dialtill();
  const folder = join(temporaryFolder(), 'several');
  const [port, servicePort] = [await freePort(), await freePort()];
  const several = await startSeveral({ cli, folder, port, servicePort, gateways: 2 });
  onTestFinished(several.stop);
  const pay = async (msisdn: string) => {
    const dialled = await run(
      cli,
      ['dial', '*713*5#', '--msisdn', msisdn, '--input', '1,20,1', '--approve'],
      folder,
    );
    expect({ err: dialled.stderr, code: dialled.code }).toEqual({ err: '', code: 0 });
  };
  await pay('0244123456');
  process.kill(several.pids[0] ?? 0, 'SIGKILL');
  await pay('0244123457');
  await pay('0244123458');
  const { stdout } = await run(cli, ['ledger', 'verify'], folder);
  expect(stdout).toContain('ledger: ok');
});
