import { isMap, mapOrEmpty } from '../../shared/json.ts';
import {
  createSealKey,
  isPublicKey,
  isSealSecret,
  type ListedKey,
  type SealKey,
} from '../ledger/seal-key.ts';
import { readFilled } from './find.ts';
import type { Environment } from './secrets.ts';

/** The keys of the section `ledger` of a configuration. */
export type ConfiguredSealKeys = {
  /** Absent when it is not configured, or when its environment variable is not set. */
  sealKey: SealKey | undefined;
  /** The public keys of all configured keys. */
  publicKeys: ListedKey[];
  /** The first block that must be signed. */
  signedFrom: number;
};

/**
 * Returns the keys that a configuration names. Reads no other section, and needs no secret: without the environment
 * variable of `sealKey`, the public keys of the file remain.
 *
 * @throws UserError when the file cannot be read.
 */
export function findSealKeys(configFile: string, env: Environment): ConfiguredSealKeys {
  const { ledger } = readFilled(configFile, env).value;
  const { sealKey: secret, publicKeys: listed, signedFrom } = mapOrEmpty(ledger);
  const sealKey = typeof secret === 'string' && isSealSecret(secret) ? createSealKey(secret) : undefined;
  const keys = (Array.isArray(listed) ? listed : []).flatMap((raw) => readListed(raw) ?? []);
  return {
    sealKey,
    publicKeys: [...(sealKey ? [{ key: sealKey.publicKey }] : []), ...keys],
    signedFrom: typeof signedFrom === 'number' ? signedFrom : 1,
  };
}

/** Reads one key without the schema of the configuration, which every command on the ledger would otherwise load. */
function readListed(raw: unknown): ListedKey | undefined {
  const { key, untilBlock }: { key?: unknown; untilBlock?: unknown } = isMap(raw) ? raw : { key: raw };
  if (typeof key !== 'string' || !isPublicKey(key)) return undefined;
  if (untilBlock === undefined) return { key };
  return Number.isSafeInteger(untilBlock) && Number(untilBlock) >= 1
    ? { key, untilBlock: Number(untilBlock) }
    : undefined;
}
