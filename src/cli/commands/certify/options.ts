import { type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import { readAddress } from '../channels.ts';

/** The options as the command line has them. */
export type CertifyFlags = {
  all?: true;
  config?: string;
  gateway?: string;
  offline?: true;
  msisdn?: string;
  verbose?: true;
  json?: true;
};

/** What to certify: all that ship, or one channel of a configuration. */
export type AskedCertify = { msisdn: Msisdn } & (
  | { all: true }
  | { all: false; channel: string; offline: boolean; gatewayUrl: string | undefined }
);

type Read<T> = { ok: true; value: T } | { ok: false; message: string };

/** Nobody's number: the block begins with seven zeros. */
export const testNumber = '0240000000';

const wrong = (message: string) => ({ ok: false, message }) as const;

/** Reads the command line; a failure's message says what to write instead. */
export function readCertify(channel: string | undefined, flags: CertifyFlags): Read<AskedCertify> {
  const { all, config, gateway, offline } = flags;
  const msisdn = parseMsisdn(flags.msisdn ?? testNumber);
  if (!msisdn) return wrong(`--msisdn takes a Ghanaian mobile number, such as ${testNumber}`);
  if (all) {
    const alone = channel === undefined && config === undefined && gateway === undefined && !offline;
    if (!alone)
      return wrong('--all certifies what ships: give it no channel, --config, --gateway or --offline');
    return { ok: true, value: { all, msisdn } };
  }
  if (channel === undefined)
    return wrong('name a channel of the configuration, or certify what ships: --all');
  if (offline && gateway !== undefined) return wrong('choose one of --offline and --gateway');
  const gatewayUrl = gateway === undefined ? undefined : readAddress(gateway);
  if (gateway !== undefined && gatewayUrl === undefined) {
    return wrong('--gateway takes a URL, such as http://127.0.0.1:8080');
  }
  return { ok: true, value: { all: false, channel, offline: offline ?? false, gatewayUrl, msisdn } };
}
