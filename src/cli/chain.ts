import { type Command, InvalidArgumentError } from 'commander';
import { type ConfiguredSealKeys, findConfig, findSealKeys } from '../gateway/config/find.ts';
import type { Environment } from '../gateway/config/secrets.ts';
import type { LedgerReport } from '../gateway/ledger/report.ts';
import { isPublicKey, type ListedKey, readPublicKeys } from '../gateway/ledger/seal-key.ts';
import type { VerifyOptions } from '../gateway/ledger/verify.ts';
import { systemClock } from '../shared/clock.ts';
import { plural } from '../shared/plural.ts';
import { showTime } from '../shared/time-text.ts';

export type ChainFlags = { config?: string; db?: string; head?: string; publicKey?: ListedKey[] };

/** Returns the expectation of the chain that the options and the configuration of a command define. */
export type ReadExpectation = (flags: ChainFlags) => VerifyOptions;

/** Returns the keys of the configuration of a command; none when the options name a database without a configuration. */
export function configuredSealKeys({ config, db }: ChainFlags, env: Environment): ConfiguredSealKeys {
  // A database file without a configuration can belong to another gateway than the configuration in this folder.
  if (db !== undefined && config === undefined) return { sealKey: undefined, publicKeys: [], signedFrom: 1 };
  return findSealKeys(findConfig(config, env), env);
}

export function expectationReader(env: Environment): ReadExpectation {
  const clock = systemClock();
  return (flags) => {
    const { publicKeys, signedFrom } = configuredSealKeys(flags, env);
    return {
      now: clock.now(),
      publicKeys: readPublicKeys([...publicKeys, ...(flags.publicKey ?? [])]),
      signedFrom,
      notedHead: flags.head,
    };
  };
}

/** Adds the options for what is known about the chain from outside of the database. @param head the help of `--head`. */
export function addChainOptions(command: Command, head: string): Command {
  return command
    .option('--head <hash>', `a head of the chain that was noted elsewhere: ${head}`, parseHead)
    .option(
      '--public-key <key>',
      'a key that blocks may be signed with, in addition to those of the configuration; <key>:<block> for a key that signed up to a block; can be repeated',
      parsePublicKey,
    );
}

export function parseHead(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new InvalidArgumentError('expected the 64 hexadecimal digits of a head of the chain');
}

/** Parses one value of `--public-key`: a key, or a key and the last block that it signed. */
function parsePublicKey(text: string, earlier: readonly ListedKey[] | undefined): ListedKey[] {
  const [, key = '', untilBlock] = /^([^:]+)(?::([1-9]\d{0,14}))?$/.exec(text) ?? [];
  if (isPublicKey(key))
    return [
      ...(earlier ?? []),
      { key, ...(untilBlock === undefined ? {} : { untilBlock: Number(untilBlock) }) },
    ];
  throw new InvalidArgumentError(
    'expected a public key, as "dialtill ledger seal-key" prints, or <key>:<number of its last block>',
  );
}

export function describeSignatures({ checked, signed, unsigned }: LedgerReport['signatures']): string {
  const counts = `${plural(signed, 'block')} signed, ${unsigned} not signed`;
  return checked ? counts : `not checked, because no public key is known (${counts})`;
}

export function describeNotedHead({ block, rowsAfter }: NonNullable<LedgerReport['notedHead']>): string {
  return `block ${block}, ${plural(rowsAfter, 'row')} written since`;
}

/** Describes each run of blocks that sealed rows long after they were written, in one phrase. */
export function describeLateBlocks(runs: LedgerReport['lateBlocks']): string[] {
  return runs.map(({ from, to, oldestRowAt, sealedAt }) => {
    const blocks = from === to ? `block ${from}` : `blocks ${from} to ${to}`;
    return `${blocks} sealed rows since ${showTime(oldestRowAt)} only at ${showTime(sealedAt)}: compare with a noted head (--head)`;
  });
}
