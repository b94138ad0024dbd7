import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { genesis, type Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';
import { maxUnsealedMs } from './report.ts';

/** The key that signs the blocks of a ledger. It is stored outside of the ledger's file. */
export type SealKey = {
  id: string;
  /** 32 bytes in base64url. Anyone who has it can verify signatures, and no one can create them. */
  publicKey: string;
  sign(hash: string): string;
};

/** A public key that blocks may be signed with. */
export type ListedKey = {
  /** 32 bytes in base64url. */
  key: string;
  /** The last block that the key may have signed; absent for the key that signs new blocks. */
  untilBlock?: number | undefined;
};

/** The public keys that blocks may be signed with, by their ids. */
export type PublicKeys = ReadonlyMap<string, { key: KeyObject; untilBlock: number }>;

const keyBytes = 32;

/** The DER header of an Ed25519 private key (RFC 8410, section 7), which the 32 bytes of the key follow. */
const pkcs8Header = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns a new secret of 32 random bytes, in base64. */
export function generateSealSecret(ids: Pick<Ids, 'secret'>): string {
  return Buffer.from(ids.secret(), 'base64url').toString('base64');
}

/** Returns whether a text is a secret of `createSealKey`: the base64 of 32 bytes. */
export function isSealSecret(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === keyBytes && bytes.toString('base64') === text;
}

/** Returns whether a text is a public key: the base64url of 32 bytes. */
export function isPublicKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === keyBytes && bytes.toString('base64url') === text;
}

/** Creates an Ed25519 key from a secret of 32 bytes in base64, such as `openssl rand -base64 32` prints. */
export function createSealKey(secret: string): SealKey {
  const der = Buffer.concat([pkcs8Header, Buffer.from(secret, 'base64')]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = String(createPublicKey(privateKey).export({ format: 'jwk' }).x);
  const id = getKeyId(publicKey);
  return {
    id,
    publicKey,
    sign: (hash) => sign(null, signedText(id, hash), privateKey).toString('base64'),
  };
}

/** Returns the public keys by their ids. For a key that is listed several times, the smallest limit applies. */
export function readPublicKeys(keys: Iterable<ListedKey>): PublicKeys {
  const read = new Map<string, { key: KeyObject; untilBlock: number }>();
  for (const { key: x, untilBlock = Number.POSITIVE_INFINITY } of keys) {
    const id = getKeyId(x);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    read.set(id, { key, untilBlock: Math.min(untilBlock, read.get(id)?.untilBlock ?? untilBlock) });
  }
  return read;
}

/** Why the signature of a block proves nothing; `undefined` when it is valid. */
type SignatureFault = 'unsigned' | 'unknown_key' | 'retired_key' | 'invalid';

/** Returns why the signature of a block is not valid; undefined when it is. */
export function signatureFault(
  { number, hash, keyId, signature }: Pick<Seal, 'number' | 'hash' | 'keyId' | 'signature'>,
  keys: PublicKeys,
): SignatureFault | undefined {
  if (keyId === null || signature === null) return 'unsigned';
  const listed = keys.get(keyId);
  if (listed === undefined) return 'unknown_key';
  if (number > listed.untilBlock) return 'retired_key';
  return verify(null, signedText(keyId, hash), listed.key, Buffer.from(signature, 'base64'))
    ? undefined
    : 'invalid';
}

function getKeyId(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex').slice(0, 16);
}

/** The prefix keeps a signature of a block from being valid for anything else that is signed with the same key. */
function signedText(keyId: string, hash: string): Buffer {
  return Buffer.from(`dialtill ledger block\n${keyId}\n${hash}`);
}

export type SigningSettings = {
  /** Signs the blocks; undefined when the gateway has no key. */
  key: SealKey | undefined;
  /** All keys that blocks may be signed with. */
  publicKeys: PublicKeys;
  /** The first block that must be signed. */
  signedFrom: number;
  livemode: 0 | 1;
};

/** `missing`: new blocks are not signed, although earlier ones are or public keys are configured. */
export type SigningState = 'ok' | 'missing';

/**
 * Checks the signatures when a gateway starts. Must run before the gateway writes or seals a row.
 *
 * Warns when a live ledger has no key. Raises an alarm when new blocks are not signed although public keys are configured or
 * the last block is signed, the last block has no valid signature, or rows were written over minutes without a block: the
 * next block would sign them.
 */
export async function checkSigning(
  ledger: LedgerStore,
  { key, publicKeys, signedFrom, livemode }: SigningSettings,
  log: Log,
): Promise<SigningState> {
  const alarm = { alarm: 'ledger_signature', see: 'docs/operations/tampering.md' };
  const last = await ledger.lastSeal();
  const wasSigned = last !== undefined && last.signature !== null && last.number >= signedFrom;
  if (publicKeys.size === 0) {
    if (wasSigned)
      log.error(
        { ...alarm, block: last.number },
        'the last block of the ledger is signed, but new blocks are not: set ledger.sealKey',
      );
    else if (livemode === 1)
      log.warn(
        { see: 'docs/operations/tampering.md' },
        'blocks of the ledger are not signed: set ledger.sealKey',
      );
    return wasSigned ? 'missing' : 'ok';
  }
  if (!key) log.error(alarm, 'ledger.publicKeys is set, but blocks are not signed: set ledger.sealKey');
  const fault = last && last.number >= signedFrom ? signatureFault(last, publicKeys) : undefined;
  if (last && fault) {
    log.error(
      { ...alarm, block: last.number, fault },
      'the last block of the ledger has no valid signature: run dialtill ledger verify',
    );
  }
  const unsealed = await ledger.unsealedTimes(last ?? genesis);
  if (unsealed && (!last || unsealed.newest - unsealed.oldest > maxUnsealedMs)) {
    log.error(
      { ...alarm, block: last?.number ?? 0, unsealedSince: new Date(unsealed.oldest).toISOString() },
      'rows of the ledger have no block: blocks may have been removed. Run dialtill ledger verify --head',
    );
  }
  return key ? 'ok' : 'missing';
}
