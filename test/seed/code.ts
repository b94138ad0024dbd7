import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { oneTimePassword, stepAt } from '../../src/gateway/accounts/code.ts';
import { errorMessage } from '../../src/shared/errors.ts';
import { staffNames, staffPassword } from './shops.ts';

/*
 * Prints what an authenticator app shows to a person of the practice ledger, below the password: the input of
 * `dialtill staff sign-in`.
 */

const help = `Prints the password and the present code of a person, as "dialtill staff sign-in" reads them.

  npm run -s demo:code -- <name> [--folder <dir>]

  --folder <dir>  the folder of the ledger (./data/seed)
  --help

Example:
  npm run -s demo:code -- ama | npx dialtill staff sign-in ama

Exit code: 1 without the ledger, 2 for a wrong name or option.`;

/** Returns the password and the code of a person at a time, each on a line. */
export function signInLines(seed: string, now: number): string {
  return `${staffPassword}\n${oneTimePassword(Buffer.from(seed, 'base64url'), stepAt(now))}\n`;
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: {
      folder: { type: 'string', default: './data/seed' },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) {
    process.stdout.write(`${help}\n`);
    return;
  }
  const name = staffNames.find((one) => one === positionals[0]);
  if (name === undefined || positionals.length > 1)
    throw new TypeError(`expected one of ${staffNames.join(', ')}`);
  const file = join(values.folder, 'staff.json');
  process.stdout.write(signInLines(JSON.parse(readFileSync(file, 'utf8'))[name], Date.now()));
}

if (import.meta.filename === process.argv[1]) {
  try {
    main();
  } catch (fault) {
    process.stderr.write(`${errorMessage(fault)}\n`);
    process.exitCode = fault instanceof TypeError ? 2 : 1;
  }
}
