import { z } from 'zod';
import type { DatabaseLocation } from '../database/database-location.ts';
import { createSealKey, isPublicKey, isSealSecret, type ListedKey } from '../ledger/seal-key.ts';

const msPerUnit = { Seconds: 1000, Days: 86_400_000 } as const;

type MsKey<Key> = Key extends `${infer Name}Seconds` | `${infer Name}Days` ? `${Name}Ms` : Key;

/** `Section` with each key `…Seconds` or `…Days` renamed to `…Ms`. */
type WithMilliseconds<Section> = { [Key in keyof Section as MsKey<Key>]: Section[Key] };

/**
 * Converts the durations of one section of the configuration file to milliseconds: `leaseSeconds: 30` becomes
 * `leaseMs: 30_000`. A duration is a number, a number for each operator, or null where there is no limit. Nested
 * sections are converted by their own schema.
 */
export function withMilliseconds<Section extends object>(section: Section): WithMilliseconds<Section> {
  const entries = Object.entries(section).map(([key, value]) => {
    const [, name, unit] = /^(.+)(Seconds|Days)$/.exec(key) ?? [];
    return name === undefined
      ? [key, value]
      : [`${name}Ms`, scale(value, msPerUnit[unit as keyof typeof msPerUnit])];
  });
  return Object.fromEntries(entries) as WithMilliseconds<Section>;
}

function scale(value: unknown, factor: number): unknown {
  if (typeof value === 'number') return Math.round(value * factor);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scale(item, factor)]));
}

/** A database of a server: PostgreSQL, with a host and the name of the database. */
function isServerUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    /^postgres(ql)?:$/.test(url?.protocol ?? '') &&
    url?.hostname !== '' &&
    /^\/[^/]+$/.test(url?.pathname ?? '')
  );
}

/** The section `database` of the configuration: a file, or a server. */
export const databaseSection = z
  .strictObject({
    /** A SQLite file. Relative paths start at the folder of the configuration. */
    file: z.string().min(1, 'expected the path of a file').optional(),
    url: z.string().refine(isServerUrl, 'expected postgres://user:password@host:port/database').optional(),
    /** Connections to a server. A turn needs one for a few milliseconds. */
    maxConnections: z
      .int()
      .min(2, 'expected at least 2 connections')
      .max(200, 'expected at most 200 connections')
      .default(10),
  })
  .transform(({ file, url, maxConnections }, context): DatabaseLocation => {
    if (file !== undefined && url === undefined) return { file };
    if (url !== undefined && file === undefined) return { url, maxConnections };
    context.addIssue({ code: 'custom', message: 'expected either file or url' });
    return z.NEVER;
  });

const publicKey = z
  .string()
  .refine(isPublicKey, 'expected a public key, as "dialtill ledger seal-key" prints');

const listedKeyExpected =
  'expected a public key, as "dialtill ledger seal-key" prints, or { key: …, untilBlock: <number of its last block> }';

/** A public key, alone or with the last block that it signed. */
const listedKey = z.union(
  [
    publicKey.transform((key): ListedKey => ({ key })),
    z.strictObject({ key: publicKey, untilBlock: z.int(listedKeyExpected).min(1, listedKeyExpected) }),
  ],
  listedKeyExpected,
);

/** The signatures of blocks. A key that no longer signs must have a last block: its thief could otherwise sign new ones. */
export const ledger = z
  .strictObject({
    /** Signs each block. */
    sealKey: z
      .string()
      .refine(isSealSecret, 'expected the base64 of 32 bytes, as "openssl rand -base64 32" prints')
      .optional(),
    /** Public keys of earlier keys, and of `sealKey` for commands that run without it. */
    publicKeys: z.array(listedKey).max(100, 'expected at most 100 public keys').default([]),
    /** The first signed block, when blocks were written before signing was enabled. */
    signedFrom: z
      .int('expected a whole number')
      .min(1, 'expected at least 1')
      .max(Number.MAX_SAFE_INTEGER)
      .default(1),
  })
  .superRefine(({ sealKey, publicKeys }, context) => {
    // Also called when a key of the section is invalid.
    if (sealKey === undefined || !isSealSecret(sealKey)) return;
    const current = createSealKey(sealKey).publicKey;
    for (const [i, { key, untilBlock }] of publicKeys.entries()) {
      const isCurrent = key === current;
      if (isCurrent === (untilBlock === undefined)) continue;
      const message = isCurrent
        ? 'expected no untilBlock, because this is the key of ledger.sealKey, which signs new blocks. Generate a new sealKey, or remove untilBlock'
        : 'expected untilBlock, because ledger.sealKey is another key: { key: …, untilBlock: <number of its last block> }. "dialtill ledger verify" prints the number of sealed blocks';
      context.addIssue({ code: 'custom', path: ['publicKeys', i], message });
    }
  });
