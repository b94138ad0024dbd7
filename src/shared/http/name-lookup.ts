import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';

/** The part of Node's `dns.lookup` that is used here. */
export type NameLookup = (
  name: string,
  options: LookupOptions & { all: true },
  done: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** How long a name server may take to answer. It is asked twice. */
const answerTimeoutMs = 2_000;

/** Names that wait for the system at the same time. */
const maxWaiting = 64;

/** The faults of a name that no name server has. The system can add a domain to it, or ask the local network. */
const unknownNameFaults = new Set<unknown>(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Creates the lookup of names that merchants and people choose. It asks the name servers without a thread: `dns.lookup` has two
 * for all names of the process, and a name whose server does not answer holds one of them for many seconds.
 *
 * The system looks up what only this machine can know: names without a dot, those of its hosts file, and, one at a time, those that no
 * name server has.
 *
 * @param servers the name servers; those of the system by default.
 */
export function createNameLookup(servers?: readonly string[]): NameLookup {
  let waiting = 0;
  let last = Promise.resolve();

  function askSystem(...[name, options, done]: Parameters<NameLookup>): void {
    waiting += 1;
    const ask = () =>
      new Promise<void>((resolve) => lookup(name, options, (...found) => resolve(done(...found))));
    last = last.then(ask).finally(() => {
      waiting -= 1;
    });
  }

  return async (name, options, done) => {
    if (isLocal(name)) return lookup(name, options, done);
    // A new one reads the present name servers of the system.
    const resolver = new Resolver({ timeout: answerTimeoutMs, tries: 2 });
    if (servers) resolver.setServers(servers);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...listAddresses(v4, 4), ...listAddresses(v6, 6)];
    if (found.length > 0 || v4.status === 'fulfilled') return done(null, found);
    if (unknownNameFaults.has(v4.reason.code) && waiting < maxWaiting) return askSystem(name, options, done);
    done(v4.reason, []);
  };
}

function listAddresses(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}

const hostsFile = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

function isLocal(name: string): boolean {
  if (!name.includes('.')) return true;
  try {
    return readFileSync(hostsFile, 'utf8').toLowerCase().split(/\s+/).includes(name.toLowerCase());
  } catch {
    return false;
  }
}
