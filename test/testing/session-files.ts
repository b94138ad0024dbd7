import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { registerRehearse } from '../../src/cli/commands/rehearse.ts';
import { type CommandResult, runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';

/** Runs `dialtill rehearse`. */
export function rehearse(args: readonly string[], options: { tty?: boolean } = {}): Promise<CommandResult> {
  return runCommand(
    ['rehearse', ...args],
    (program, streams) => registerRehearse(program, { ...streams }),
    options,
  );
}

/** A short menu for these tests, independent of the included menus. */
const menu = `languages: [en]
start: welcome
screens:
  welcome:
    kind: choose
    text: "{merchant}"
    options:
      - { label: Small, set: { amount: "1.00" }, to: pay }
      - { label: Large, set: { amount: "50.00" }, to: pay }
  pay: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve {amount}." }
`;

/** A transcript of the menu. Its screens lack the lines for the menu keys. */
export const session = `# A small payment.
menu: menus/small.yaml
merchant: Abena Stores
channel: { aggregator: africastalking, serviceCode: '*713*5#' }
msisdn: '0244123456'

steps:
  - dial: '*713*5#'
  - screen: |
      Abena Stores
      1. Small
      2. Large
  # The large one.
  - send: '2'
  - screen: |
      Pay GHS 50.00?
      1. Yes
      2. No
  - send: '1' # confirm
  - end: |
      Approve GHS 50.00.
  - prompt: { amount: 50.50 }
  - approve: '1234'
  - expect: { status: paid, amount: 50.00 }
`;

/** Writes a transcript and its menu into a folder. Returns the path of the transcript. */
export function writeSession(text: string, folder = temporaryFolder()): string {
  const file = join(folder, 'pay.yaml');
  const menuFile = join(dirname(file), 'menus/small.yaml');
  mkdirSync(dirname(menuFile));
  writeFileSync(menuFile, menu);
  writeFileSync(file, text);
  return file;
}

/** Replaces a part of the text. @throws Error when the text does not contain it. */
export function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`not in the transcript: ${from}`);
  return text.replace(from, to);
}

export const textOf = (file: string): string => readFileSync(file, 'utf8');
