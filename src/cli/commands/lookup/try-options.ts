import { isDeepStrictEqual } from 'node:util';
import type { LookupMerchant } from '../../../gateway/lookup/lookup.ts';
import { collectNames } from '../../../menu/check/names.ts';
import type { LookupHandler } from '../../../menu/effects/lookup.ts';
import { loadMenu } from '../../../menu/file/load.ts';
import {
  isMerchantScreen,
  listRoutes,
  listTargets,
  type Menu,
  type MerchantScreen,
} from '../../../menu/schema.ts';
import type { Answers, MenuState, ProxyTurn } from '../../../menu/state/state.ts';
import { UsageError, UserError } from '../../../shared/errors.ts';
import { parseCedis } from '../../../shared/money.ts';
import { type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import { defaultTimeZone } from '../../../shared/time-text.ts';
import { formatFileErrors } from '../../../shared/yaml.ts';
import type { CommandContext } from '../../context.ts';
import { printable } from '../../terminal/output.ts';
import { checkAddress, readReference, readValues } from './try-values.ts';

export type TryFlags = {
  reference?: string;
  amount?: string;
  msisdn: string;
  payer?: string;
  language?: string;
  value?: readonly string[];
  turn?: string;
  input?: string;
  state?: string;
  config?: string;
  merchant?: string;
  url?: string;
  json?: true;
};

/** One request to send: the dialogue that asks, and what answers. */
export type Trial = {
  menu: Menu;
  screen: MerchantScreen;
  state: MenuState;
  turn: ProxyTurn;
  dialler: Msisdn;
  merchantName: string;
  timeZone: string;
  /** Where the request goes; absent for a function of a menu in TypeScript. */
  lookups?: NonNullable<LookupMerchant['lookups']>;
  handler?: LookupHandler;
  /** Requests go to public addresses and allowed networks only. */
  livemode: boolean;
  timeoutMs: number;
};

const defaultTimeoutMs = 1_500;

type TryDeps = Pick<CommandContext, 'loadConfig' | 'env'>;

/** Validates the command line. @throws UsageError that states what to write instead; UserError for a faulty menu. */
export function readTry(
  deps: TryDeps,
  asked: { menu: string; screen: string | undefined; flags: TryFlags },
): Trial {
  const loaded = loadMenu(asked.menu);
  if (!loaded.ok) throw new UserError(printable(formatFileErrors(loaded.errors)));
  const { menu, handlers } = loaded;
  const { name, screen } = chooseScreen(menu, asked.screen);
  const state = readState(menu, name, asked.flags);
  if (screen.url !== undefined) checkAddress(screen.url, state.answers, collectNames(menu));
  const dialler = parseMsisdn(asked.flags.msisdn);
  if (!dialler) throw new UsageError('--msisdn: expected a Ghanaian mobile number, such as 0244123456');
  const common = { menu, screen, state, dialler, turn: readTurn(screen, asked.flags) };
  const handler = handlers[name];
  if (!handler) return { ...common, ...readTarget(deps, menu, asked.flags) };
  const shop = { merchantName: 'Shop', timeZone: defaultTimeZone, livemode: false };
  return { ...common, handler, ...shop, timeoutMs: defaultTimeoutMs };
}

function chooseScreen(
  { screens }: Menu,
  named: string | undefined,
): { name: string; screen: MerchantScreen } {
  const lookups = Object.entries(screens).flatMap(([name, screen]) =>
    isMerchantScreen(screen) ? [{ name, screen }] : [],
  );
  const names = lookups.map(({ name }) => name).join(', ') || 'none';
  const found =
    named === undefined && lookups.length === 1 ? lookups[0] : lookups.find((one) => one.name === named);
  if (found) return found;
  throw new UsageError(
    named === undefined
      ? `expected the name of a lookup or proxy screen; the menu has: ${names}`
      : `no lookup or proxy screen ${named}; the menu has: ${names}`,
  );
}

/** Reads the request of a proxy screen. Without a turn, an input is that of the second request. */
function readTurn(screen: MerchantScreen, { turn, input, state }: TryFlags): ProxyTurn {
  const isGiven = turn !== undefined || input !== undefined || state !== undefined;
  if (screen.kind === 'lookup') {
    if (isGiven) throw new UsageError('--turn, --input and --state are for proxy screens');
    return { turn: 1 };
  }
  const number = Number(turn ?? (input === undefined ? 1 : 2));
  if (!Number.isInteger(number) || number < 1 || number > screen.maxTurns) {
    throw new UsageError(`--turn: expected a whole number from 1 to ${screen.maxTurns}, found ${turn}`);
  }
  if (number > 1 !== (input !== undefined)) {
    throw new UsageError('expected --input at every turn after the first, and none at the first');
  }
  return { turn: number, ...(input !== undefined && { input }), ...(state !== undefined && { state }) };
}

function readState(menu: Menu, screen: string, flags: TryFlags): MenuState {
  const { reference, amount, payer, language = menu.languages[0], value: given = [] } = flags;
  if (!menu.languages.includes(language)) {
    throw new UsageError(`--language: expected one of ${menu.languages.join(', ')}, found ${language}`);
  }
  const amountMinor = amount === undefined ? undefined : parseCedis(amount);
  if (amount !== undefined && amountMinor === undefined) {
    throw new UsageError(`--amount: expected an amount such as 20.00, found ${amount}`);
  }
  const msisdn = payer === undefined ? undefined : parseMsisdn(payer);
  if (payer !== undefined && msisdn === undefined) {
    throw new UsageError(`--payer: expected a Ghanaian mobile number, such as 0244123456, found ${payer}`);
  }
  const answers: Answers = {
    ...(reference !== undefined && { reference: readReference(menu, reference) }),
    ...(amountMinor !== undefined && { amountMinor }),
    ...(msisdn !== undefined && { payer: msisdn }),
    values: readValues(menu, given),
  };
  // A lookup that finds nothing asks the question before it again.
  const before = Object.entries(menu.screens).filter(
    ([, one]) => !isMerchantScreen(one) && listRoutes(one).some(({ to }) => listTargets(to).includes(screen)),
  );
  const history = before.slice(0, 1).map(([name]) => ({ screen: name, answers }));
  return { screen, language, answers, invalidInputs: 0, history };
}

type Target = Pick<Trial, 'lookups' | 'merchantName' | 'timeZone' | 'livemode' | 'timeoutMs'>;

function readTarget({ loadConfig, env }: TryDeps, menu: Menu, flags: TryFlags): Target {
  const { config: file, url, merchant: id } = flags;
  const config = file === undefined ? undefined : loadConfig(file);
  const users = config?.merchants.filter((one) => isDeepStrictEqual(one.menu, menu)) ?? [];
  const merchant = id === undefined ? users[0] : users.find((one) => one.id === id);
  if (config && !merchant) {
    throw new UsageError(
      `no merchant of ${file} uses this menu${id === undefined ? '' : ` under the id ${id}`}`,
    );
  }
  if (id === undefined && users.length > 1) {
    throw new UsageError(
      `--merchant: expected one of ${users.map((one) => one.id).join(', ')}, who all use this menu`,
    );
  }
  const { secret = env.LOOKUPS_SECRET, allowNetworks = [] } = merchant?.lookups ?? {};
  const base = url ?? merchant?.lookups?.url;
  if (base === undefined || !/^https?:\/\/[^/]/.test(base)) {
    throw new UsageError(
      'expected --config with a merchant that has lookups, or --url such as http://127.0.0.1:8100',
    );
  }
  if (secret === undefined || !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) {
    throw new UsageError('expected the secret whsec_... of lookups in LOOKUPS_SECRET, or --config with one');
  }
  return {
    lookups: { url: base.replace(/\/+$/, ''), secret, allowNetworks },
    merchantName: merchant?.name ?? 'Shop',
    timeZone: merchant?.timeZone ?? defaultTimeZone,
    livemode: config?.environment === 'live',
    timeoutMs: config?.timings.lookupTimeoutMs ?? defaultTimeoutMs,
  };
}
