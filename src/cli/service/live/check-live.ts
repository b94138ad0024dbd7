import { existsSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isAddressOrNetwork } from '../../../shared/http/addresses.ts';
import { findWeakness } from '../../../shared/secret-strength.ts';

/** The options and the environment of a live start, as they were given. */
export type LiveRequest = {
  data: string | undefined;
  publicUrl: string | undefined;
  trustedProxies: readonly string[];
  adminToken: string | undefined;
};

/** Types of Linux file systems that a restart empties: tmpfs and ramfs. */
const memoryFileSystems: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/** The number of the file system's type. */
export type FileSystemType = (folder: string) => number;

const systemType: FileSystemType = (folder) => statfsSync(folder).type;

/** Returns everything that a live start lacks, besides its rail. Empty when nothing is missing. */
export function liveFaults(request: LiveRequest, fileSystemType = systemType): string[] {
  return [
    ...publicUrlFaults(request.publicUrl),
    ...request.trustedProxies
      .filter((address) => !isAddressOrNetwork(address))
      .map(
        (address) =>
          `--trusted-proxy: expected an address or a network such as 10.0.0.0/8, found "${address}"`,
      ),
    ...tokenFaults(request.adminToken),
    ...folderFaults(request.data, fileSystemType),
  ];
}

function publicUrlFaults(text: string | undefined): string[] {
  const expected =
    'the address at which merchants reach the service, such as https://pay.example.com. A proxy ends TLS';
  if (!text) return [`--public-url: name ${expected}`];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  const isPublic = url?.hostname.includes('.') && !/^(127|0)\./.test(url.hostname);
  if (isPlain && isPublic && url.protocol === 'https:') return [];
  return [`--public-url: expected ${expected}; found "${text}"`];
}

function tokenFaults(token: string | undefined): string[] {
  const remedy = 'Generate one with "openssl rand -base64 32"';
  if (token === undefined) {
    return [`DIALTILL_ADMIN_TOKEN (or DIALTILL_ADMIN_TOKEN_FILE): set the admin token. ${remedy}`];
  }
  const weakness = findWeakness(token);
  return weakness === undefined ? [] : [`DIALTILL_ADMIN_TOKEN: the admin token ${weakness}. ${remedy}`];
}

function folderFaults(data: string | undefined, fileSystemType: FileSystemType): string[] {
  if (!data) return ['--data (or DIALTILL_DATA): name the folder of the database'];
  const folder = resolve(data);
  const used = ['sandbox.json', 'demo.json'].find((name) => existsSync(join(folder, name)));
  const sandbox = used && `--data: ${folder} belongs to a sandbox or a demo (${used}). Use another folder`;
  const isInMemory = memoryFileSystems.has(fileSystemType(existingFolder(folder)));
  const memory =
    isInMemory && `--data: ${folder} is in memory, and a restart would lose payments. Use a disk`;
  return [sandbox, memory].filter((fault) => typeof fault === 'string' && fault !== '') as string[];
}

/** The folder itself, or the nearest one above it that exists. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}
