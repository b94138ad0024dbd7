import { isPhoneNumber, type Operator, operatorByName, parseMsisdn } from '../../shared/msisdn.ts';
import type { Ending, Entry, UssdRequest } from '../../shared/ussd.ts';
import type { DialectOptions, RequestReading } from '../aggregator.ts';
import {
  beginsLikeDial,
  dialledAnswers,
  dialledSuffix,
  isDialString,
  isDistinctDial,
  readCumulativeText,
  splitParts,
} from '../dial-string.ts';
import type { Description } from './description.ts';
import { type RequestFields, readField, readScalar } from './request-fields.ts';

/** The length of one USSD string. */
const maxInputLength = 182;
/** About twenty screens of input; a session ends long before. */
const maxCumulativeLength = 2048;

/** Reads one request by its description. `options.operators` has the codes of both. Never throws. */
export function readRequest(
  description: Description,
  options: DialectOptions,
  fields: RequestFields,
): RequestReading {
  const number = readInput(readField(fields, description.number) ?? '');
  const dialler = parseMsisdn(number);
  const unreadable: RequestReading = {
    kind: 'unreadable',
    fields,
    ...(!dialler && isPhoneNumber(number) && { isOtherNumber: true }),
  };
  const sessionField = readField(fields, description.session);
  const session = readToken(sessionField ?? (description.numberAsSession ? dialler : undefined) ?? '');
  if (!session) return unreadable;
  const kind = readKind(description, fields);
  const signal = { session, ...(dialler && { dialler }), fields };
  if (kind === 'probe') return { kind, ...signal };
  if (kind !== undefined && kind !== 'first' && kind !== 'input') {
    return { kind: 'notice', ending: kind, ...signal };
  }
  const entry = readEntry(description, options, fields, kind);
  if (!dialler || !entry) return unreadable;
  const mark = readToken(readField(fields, description.mark ?? []) ?? '');
  const ussdRef = readToken(readField(fields, description.ussdRef ?? []) ?? '');
  const request: UssdRequest = {
    session,
    dialler,
    ...readOperator(
      readField(fields, description.operator ?? [])?.slice(0, description.operatorLength),
      options.operators,
    ),
    entry,
    ...(mark === undefined ? {} : { mark }),
    ...(ussdRef === undefined ? {} : { ussdRef }),
  };
  return { kind: 'request', request, fields };
}

/** Returns the kind of a request by its kind field, or `undefined` when the field does not decide it. */
function readKind(
  { kind: rule }: Description,
  fields: RequestFields,
): 'first' | 'input' | 'probe' | Ending | undefined {
  const text = rule && readField(fields, rule.field)?.toLowerCase();
  if (!rule || text === undefined) return undefined;
  const value = rule.flag ? (readFlag(text) ?? text) : text;
  const isValue = (candidate: string) => candidate.toLowerCase() === value;
  if (rule.first.some(isValue)) return 'first';
  if (rule.firstIfSame) {
    const other = readField(fields, rule.firstIfSame);
    // Without the field of comparison, the request is read as one without a kind.
    if (other === undefined) return undefined;
    if (isValue(other)) return 'first';
  }
  if (rule.probe?.some(isValue)) return 'probe';
  const ended = Object.entries(rule.ended ?? {}).find(([candidate]) => isValue(candidate));
  return ended?.[1] ?? rule.other ?? 'input';
}

function readEntry(
  description: Description,
  options: DialectOptions,
  fields: RequestFields,
  kind: 'first' | 'input' | undefined,
): Entry | undefined {
  const { serviceCode } = options;
  if (description.cumulative) return readCumulative(description, serviceCode, fields);
  const input = readInput(readField(fields, description.input) ?? '');
  const dial = dialledSuffix(input, serviceCode);
  const isDial = isDialString(input) || (dial !== undefined && isDistinctDial(input, serviceCode));
  if (isFirstRequest(description, kind, input, isDial)) return readDial(description, serviceCode, fields);
  // Without a kind, an empty first input cannot be distinguished from an empty answer.
  const isBlank = kind === undefined && input === '';
  const suffix = dial ?? (isBlank ? readDial(description, serviceCode, fields)?.suffix : undefined);
  // Shared codes can send their end. Alone, it can also be an answer.
  const answers = kind === 'input' || suffix ? suffix : dialledAnswers(input, serviceCode);
  const isAlone = !suffix && answers?.length === 0;
  const isFirst = kind === 'first' || (kind === undefined && (isAlone || beginsLikeDial(input)));
  return {
    kind: 'typed',
    // No answer is that long, so the menu rejects what remains, and the payer reads the screen again.
    input: input.slice(0, maxInputLength),
    ...(answers && !isAlone && { suffix: answers }),
    ...(isFirst && { isFirst }),
  };
}

function readDial(
  { input, dialled = input, suffix = [] }: Description,
  serviceCode: string,
  fields: RequestFields,
): Extract<Entry, { kind: 'dialled' }> | undefined {
  const read = (names: readonly string[]) => readInput(readField(fields, names) ?? '');
  const cut = read(suffix);
  if (read(input).length > maxInputLength || cut.length > maxInputLength) return undefined;
  // Some send the whole dialled string in this field too.
  const whole = isDistinctDial(cut, serviceCode) ? dialledSuffix(cut, serviceCode) : undefined;
  const answers = whole ?? splitParts(cut);
  if (whole || answers.length > 0) return { kind: 'dialled', suffix: answers };
  return { kind: 'dialled', suffix: dialledAnswers(read(dialled), serviceCode) ?? [] };
}

/** @param isDial the input is a dialled string. */
function isFirstRequest(
  { kind: rule }: Description,
  kind: 'first' | 'input' | undefined,
  input: string,
  isDial: boolean,
): boolean {
  if (kind === undefined) return isDial;
  return kind === 'first' && (!rule?.firstNeedsDial || input === '' || isDial);
}

function readCumulative(
  { cumulative, input }: Description,
  serviceCode: string,
  fields: RequestFields,
): Entry | undefined {
  // Not trimmed: a blank that the payer typed is part of every later text.
  const text = readInput(String(readScalar(fields, input) ?? ''));
  if (text.length > maxCumulativeLength) return undefined;
  return { kind: 'cumulative', ...readCumulativeText(text, serviceCode, cumulative !== 'answers') };
}

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** Returns a token of the aggregator, such as a session id: 1 to 128 visible ASCII characters, otherwise `undefined`. */
function readToken(text: string): string | undefined {
  return visibleAscii.test(text) ? text : undefined;
}

/** Returns the input without characters that no keypad can send. Some aggregators encode `*`, `#` and `+` twice, or in JSON. */
function readInput(text: string): string {
  return text.replace(/\p{C}/gu, '').replace(/%2[3ab]/gi, decodeURIComponent);
}

const trueWords = new Set(['true', '1', 'yes', 'y', 'on', 't']);
const falseWords = new Set(['false', '0', 'no', 'n', 'off', 'f', 'null']);

/** Normalises a boolean in any spelling. @returns `undefined` when the text is no boolean. */
function readFlag(text: string): 'true' | 'false' | undefined {
  const word = text.toLowerCase();
  if (trueWords.has(word)) return 'true';
  return falseWords.has(word) ? 'false' : undefined;
}

/** No name of a network is longer. */
const maxNetworkLength = 40;

/** Reads the operator by an aggregator's own code, or by its name; `unknown` for any other text, which is then `unlistedNetwork`. */
function readOperator(
  text: string | undefined,
  codes: ReadonlyMap<string, Operator> = new Map(),
): Pick<UssdRequest, 'operator' | 'unlistedNetwork'> {
  const listed = codes.get((text ?? '').toLowerCase());
  const operator = listed ?? operatorByName(text);
  const isUnlisted = text !== undefined && listed === undefined && operator === 'unknown';
  return { operator, ...(isUnlisted && { unlistedNetwork: readInput(text).slice(0, maxNetworkLength) }) };
}
