import { describe, expect, test } from 'vitest';
import type { RequestReading } from '../../src/aggregators/aggregator.ts';
import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { SimulatedAggregator, WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import { isMap, type UncheckedMap } from '../../src/shared/json.ts';
import { type Operator, operators } from '../../src/shared/msisdn.ts';
import { fitScreen } from '../../src/shared/screen-text.ts';
import { aggregatorOf, demoChannelOf } from '../kit/dialects.ts';
import { msisdnOf } from '../kit/msisdn.ts';

type Settings = UncheckedMap | undefined;

/** A dial of `*713*5#` with the suffix 20. */
function dialOn(name: string, operator: Operator = 'mtn', settings: Settings = demoChannelOf(name).settings) {
  const [serviceCode, dialled] = ['*713*5#', '*713*5*20#'];
  return { session: 's-1', msisdn: msisdnOf('0244123456'), operator, serviceCode, dialled, settings };
}

function simulatedOf(name: string): SimulatedAggregator {
  const simulated = simulatedAggregators[name];
  if (!simulated) throw new Error(`no simulated aggregator ${name}`);
  return simulated;
}

/** Returns the rows of a table, each split at blanks into `columns` columns. The last one keeps its blanks. */
function rowsOf(table: string, columns: number): string[][] {
  return table
    .trim()
    .split('\n')
    .map((row) => {
      const words = row.trim().split(/ +/);
      return [...words.slice(0, columns - 1), words.slice(columns - 1).join(' ')];
    });
}

const lineOf = ({ method, to, contentType, body }: WireRequest) =>
  [method, to, contentType, body].filter((part) => part !== '').join(' ');

/** Name, code in the demo, method, limit, line break and forbidden characters, ms to reply, ms before the prompt, sequence, title. */
const facts = String.raw`
africastalking *713*5# POST 182 \n 10000 0 true Africa's Talking
hubtel *711*5# POST 160 \n 4000 0 true Hubtel
nalo *920*5# POST 120 \n 4000 2000 false Nalo Solutions
arkesel *928*5# POST 160 \n 4000 0 false Arkesel
moolre *203*5# POST 160 \n 4000 0 false Moolre
wigal-v1 *718*5# GET 160 ^$<&|^ 4000 3000 false Wigal Smart USSD v1
wigal-v2 *718*6# POST 160 \n$<&|^' 4000 5000 false Wigal Smart USSD v2
txtghana *789*5# POST 147 \n 4000 0 false TXTGhana
korba *395*5# POST 147 \n 4000 0 false Korba
uzo *844*5# POST 147 \n 4000 0 false Uzo
emergent *714*5# POST 160 \n 4000 0 true Emergent Technology
nsano *447*5# POST 160 \n 4000 0 false Nsano
orchard *380*5# POST 160 \n 4000 0 false Orchard (AppsNmobile)
southpawsl *755*5# POST 160 \n 4000 0 false SouthPawsl
beem *149*5# POST 160 \n 4000 0 false Beem Africa
infobip *800*5# POST 182 \n 4000 0 false Infobip
sendexa *123*5# POST 159 \n 4000 0 false Sendexa
kairos *889*5# POST 160 \n 8000 0 false Kairos Afrika
hellio *384*5# POST 182 \n 4000 0 true Hellio Messaging
mtn-madapi *1234*5# POST 160 \n 4000 0 false MTN MADAPI
mnotify *899*5# POST 160 \r\n 4000 0 false mNotify
generic *700*5# POST 160 \n 4000 0 false Any other, by its description
`;

test.each(rowsOf(facts, 9))('%s has the facts of its document', (name = '', code, ...row) => {
  const { method, style, replyWithinMs, promptDelayMs, sequenced, title } = aggregatorOf(name);
  const signs = JSON.stringify(style.lineBreak + style.forbidden).slice(1, -1);
  expect(demoChannelOf(name).serviceCode).toBe(code);
  expect([method, style.limit, signs, replyWithinMs, promptDelayMs, sequenced, title].map(String)).toEqual(
    row,
  );
});

// cspell:ignore Afalse Atrue
/** The requests by the aggregators' documents: a dial, the second input, and the notice after it when the payer hangs up. */
const requests = `
africastalking dial POST application/x-www-form-urlencoded sessionId=s-1&phoneNumber=%2B233244123456&networkCode=62001&serviceCode=*713*5%23&text=20
africastalking typed POST application/x-www-form-urlencoded sessionId=s-1&phoneNumber=%2B233244123456&networkCode=62001&serviceCode=*713*5%23&text=20*1*2*7
africastalking leave POST application/x-www-form-urlencoded sessionId=s-1&phoneNumber=%2B233244123456&networkCode=62001&serviceCode=*713*5%23&status=Incomplete&durationInMillis=31000&hopsCount=4&input=20*1*2*7
hubtel dial POST application/json {"Type":"Initiation","Mobile":"233244123456","SessionId":"s-1","ServiceCode":"713","Message":"*713*5*20#","Operator":"mtn","Sequence":1,"ClientState":"","Platform":"USSD"}
hubtel typed POST application/json {"Type":"Response","Mobile":"233244123456","SessionId":"s-1","ServiceCode":"713","Message":"7","Operator":"mtn","Sequence":4,"ClientState":"","Platform":"USSD"}
hubtel leave POST application/json {"Type":"Timeout","Mobile":"233244123456","SessionId":"s-1","ServiceCode":"713","Message":"","Operator":"mtn","Sequence":5,"ClientState":"","Platform":"USSD"}
nalo dial POST application/json {"USERID":"DIALTILL","MSISDN":"233244123456","USERDATA":"*713*5*20#","MSGTYPE":true,"NETWORK":"MTN","SESSIONID":"s-1"}
nalo typed POST application/json {"USERID":"DIALTILL","MSISDN":"233244123456","USERDATA":"7","MSGTYPE":false,"NETWORK":"MTN","SESSIONID":"s-1"}
arkesel dial POST application/json {"sessionID":"s-1","userID":"DIALTILL_1","newSession":true,"msisdn":"233244123456","userData":"*713*5*20#","network":"MTN"}
arkesel typed POST application/json {"sessionID":"s-1","userID":"DIALTILL_1","newSession":false,"msisdn":"233244123456","userData":"7","network":"MTN"}
moolre dial POST application/x-www-form-urlencoded %7B%22sessionid%22%3A%22s-1%22%2C%22new%22%3Atrue%2C%22msisdn%22%3A%22233244123456%22%2C%22network%22%3A3%2C%22message%22%3A%22%22%2C%22extension%22%3A5%2C%22data%22%3A%2220%22%7D=
moolre typed POST application/x-www-form-urlencoded %7B%22sessionid%22%3A%22s-1%22%2C%22new%22%3Afalse%2C%22msisdn%22%3A%22233244123456%22%2C%22network%22%3A3%2C%22message%22%3A%227%22%2C%22extension%22%3A5%2C%22data%22%3A%22%22%7D=
wigal-v1 dial GET ?network=MTN&sessionid=s-1&mode=START&msisdn=233244123456&userdata=*713*5*20%23&username=dialtill&trafficid=s-1-1&other=
wigal-v1 typed GET ?network=MTN&sessionid=s-1&mode=MORE&msisdn=233244123456&userdata=7&username=dialtill&trafficid=s-1-4&other=
wigal-v1 leave GET ?network=MTN&sessionid=s-1&mode=END&msisdn=233244123456&userdata=&username=dialtill&trafficid=s-1-5&other=
wigal-v2 dial POST application/json; charset=UTF-8 {"network":"MTN","sessionid":"s-1","mode":"start","userdata":"*713*5*20#","username":"dialtill","trafficid":"s-1-1","other":"","phonenumber":"233244123456"}
wigal-v2 typed POST application/json; charset=UTF-8 {"network":"MTN","sessionid":"s-1","mode":"more","userdata":"7","username":"dialtill","trafficid":"s-1-4","other":"","phonenumber":"233244123456"}
wigal-v2 leave POST application/json; charset=UTF-8 {"network":"MTN","sessionid":"s-1","mode":"end","userdata":"","username":"dialtill","trafficid":"s-1-5","other":"","phonenumber":"233244123456"}
txtghana dial POST application/json {"sessionID":"s-1","msisdn":"233244123456","ussdString":"*713*5*20#","ussdServiceOp":"1","network":"01"}
txtghana typed POST application/json {"sessionID":"s-1","msisdn":"233244123456","ussdString":"7","ussdServiceOp":"18","network":"01"}
txtghana leave POST application/json {"sessionID":"s-1","msisdn":"233244123456","ussdString":"","ussdServiceOp":"30","network":"01"}
korba dial POST application/json {"sessionID":"s-1","msisdn":"233244123456","ussdString":"*713*5*20#","ussdServiceOp":"1","network":"01"}
korba typed POST application/json {"sessionID":"s-1","msisdn":"233244123456","ussdString":"7","ussdServiceOp":"18","network":"01"}
korba leave POST application/json {"sessionID":"s-1","msisdn":"233244123456","ussdString":"","ussdServiceOp":"30","network":"01"}
uzo dial POST application/json {"sessionID":"s-1","msisdn":"+233244123456","ussdString":"*713*5*20#","ussdServiceOp":"1","network":"01","code":"*713*5#","country":"GH"}
uzo typed POST application/json {"sessionID":"s-1","msisdn":"+233244123456","ussdString":"7","ussdServiceOp":"18","network":"01","code":"*713*5#","country":"GH"}
uzo leave POST application/json {"sessionID":"s-1","msisdn":"+233244123456","ussdString":"","ussdServiceOp":"29","network":"01","code":"*713*5#","country":"GH"}
emergent dial POST application/json {"Type":"Initiation","Mobile":"233244123456","SessionId":"s-1","ServiceCode":"713*5","Message":"*713*5*20#","Operator":"mtn","Sequence":1}
emergent typed POST application/json {"Type":"Response","Mobile":"233244123456","SessionId":"s-1","ServiceCode":"713*5","Message":"7","Operator":"mtn","Sequence":4}
nsano dial POST application/json {"UserSessionID":"s-1","msisdn":"233244123456","network":"MTN","msg":"*713*5*20#"}
nsano typed POST application/json {"UserSessionID":"s-1","msisdn":"233244123456","network":"MTN","msg":"7"}
orchard dial POST application/json {"session_id":"s-1","service_code":"*713*5#","msisdn":"233244123456","nw_code":"01","msg_type":"0","ussd_body":"*713*5*20#"}
orchard typed POST application/json {"session_id":"s-1","service_code":"*713*5#","msisdn":"233244123456","nw_code":"01","msg_type":"1","ussd_body":"7"}
orchard leave POST application/json {"session_id":"s-1","service_code":"*713*5#","msisdn":"233244123456","nw_code":"01","msg_type":"2","ussd_body":""}
southpawsl dial POST application/json {"sessionId":"s-1","menuId":"m-501","ussdState":"","ussdString":"*713*5*20#","ussdParameters":[],"possibleAnswers":"","msisdn":"233244123456","inputOption":"*713*5*20#","network":"MTN"}
southpawsl typed POST application/json {"sessionId":"s-1","menuId":"m-501","ussdState":"CONTINUE","ussdString":"*713*5*20#","ussdParameters":[],"possibleAnswers":"","msisdn":"233244123456","inputOption":"7","network":"MTN"}
beem dial POST application/json {"command":"initiate","msisdn":"233244123456","operator":"mtn","session_id":"s-1","payload":{"request_id":0,"response":"*713*5*20#"}}
beem typed POST application/json {"command":"continue","msisdn":"233244123456","operator":"mtn","session_id":"s-1","payload":{"request_id":3,"response":"7"}}
beem leave POST application/json {"command":"terminate","msisdn":"233244123456","operator":"mtn","session_id":"s-1","payload":{"request_id":3,"response":""}}
infobip dial POST /session/s-1/start application/json {"msisdn":"233244123456","text":"*713*5*20#","shortCode":"*713*5#","imsi":"620012441234560","language":null,"optional":null,"ussdGwId":"live2"}
infobip typed POST /session/s-1/response application/json {"msisdn":"233244123456","text":"7","shortCode":"*713*5#","imsi":"620012441234560","language":null,"optional":null,"ussdGwId":"live2"}
infobip leave PUT /session/s-1/end application/json {"exitCode":540,"reason":"aborted"}
sendexa dial POST application/json {"sessionId":"s-1","phone":"233244123456","network":"MTN","serviceCode":"*713*5*20#","type":"new","input":null,"timestamp":"2026-03-06T09:00:00.000Z"}
sendexa typed POST application/json {"sessionId":"s-1","phone":"233244123456","network":"MTN","serviceCode":"*713*5*20#","type":"continue","input":"7","timestamp":"2026-03-06T09:00:03.000Z"}
sendexa leave POST application/json {"event":"ussd.session.completed","timestamp":"2026-03-06T09:00:04.000Z","data":{"sessionId":"s-1","phone":"233244123456","network":"MTN","duration":4,"totalSteps":4,"status":"success"}}
kairos dial POST application/json {"msisdn":"233244123456","sessionId":"s-1","messageType":"0","ussdString":"*713*5*20#"}
kairos typed POST application/json {"msisdn":"233244123456","sessionId":"s-1","messageType":"0","ussdString":"7"}
hellio dial POST application/json {"sessionId":"s-1","phoneNumber":"+233244123456","networkCode":"62001","serviceCode":"*713*5#","text":"20"}
hellio typed POST application/json {"sessionId":"s-1","phoneNumber":"+233244123456","networkCode":"62001","serviceCode":"*713*5#","text":"20*1*2*7"}
mtn-madapi dial POST application/json {"sessionId":"s-1","messageType":"0","msisdn":"233244123456","serviceCode":"*713*5#","ussdString":"*713*5*20#","language":"en"}
mtn-madapi typed POST application/json {"sessionId":"s-1","messageType":"1","msisdn":"233244123456","serviceCode":"*713*5#","ussdString":"7","language":"en"}
mtn-madapi leave POST application/json {"sessionId":"s-1","messageType":"4","msisdn":"233244123456","serviceCode":"*713*5#","ussdString":"User cancelled","language":"en"}
mnotify dial POST application/json {"msisdn":"233244123456","sequenceID":"s-1","data":"*713*5*20#","timestamp":"2026-03-06T09:00:00.000Z"}
mnotify typed POST application/json {"msisdn":"233244123456","sequenceID":"s-1","data":"7","timestamp":"2026-03-06T09:00:03.000Z"}
generic dial POST application/json {"dialog":"s-1","subscriber":{"number":"233244123456","carrier":"M"},"keyed":"*713*5*20#","event":"OPEN"}
generic typed POST application/json {"dialog":"s-1","subscriber":{"number":"233244123456","carrier":"M"},"keyed":"7","event":"not-OPEN"}
generic leave POST application/json {"dialog":"s-1","subscriber":{"number":"233244123456","carrier":"M"},"keyed":"7","event":"HANGUP"}
`;

test.each(rowsOf(requests, 3))('%s sends the request of its document: %s', (name = '', step, line) => {
  const simulated = simulatedOf(name);
  const typed = step === 'dial' ? [] : ['1', '2', '7'];
  const request =
    step === 'leave' ? simulated.endNotice?.(dialOn(name), typed) : simulated.request(dialOn(name), typed);
  expect(request && lineOf(request)).toBe(line);
});

/** The networks in a request, in the order of `operators`. */
const networks = `
africastalking 62001 62002 62006 62007 99999
hellio 62001 62002 62006 62007 99999
hubtel "mtn" "vodafone" "tigo" "glo" "unknown"
emergent "mtn" "vodafone" "tigo" "glo" "unknown"
beem "mtn" "vodafone" "airteltigo" "glo" "unknown"
nalo "MTN" "VODAFONE" "AIRTELTIGO" "GLO" "UNKNOWN"
arkesel "MTN" "VODAFONE" "AIRTELTIGO" "GLO" "UNKNOWN"
wigal-v1 =MTN =VODAFONE =AIRTELTIGO =GLO =UNKNOWN
wigal-v2 "MTN" "VODAFONE" "AIRTELTIGO" "GLO" "UNKNOWN"
nsano "MTN" "VODAFONE" "AIRTELTIGO" "GLO" "UNKNOWN"
sendexa "MTN" "VODAFONE" "AIRTELTIGO" "GLO" "UNKNOWN"
southpawsl "MTN" "Vodafone" "AirtelTigo" "Glo" "Unknown"
moolre A3% A6% A5% A%22GLO%22% A0%
txtghana "01" "02" "06" "07" "99"
orchard "01" "02" "AIR" "GLO" "99"
infobip "620012441234560" "620022441234560" "620062441234560" "620072441234560" null
`;

test.each(rowsOf(networks, 6))('%s names each network in its way', (name = '', mtn = '', ...others) => {
  const { request } = simulatedOf(name);
  const line = lineOf(request(dialOn(name), []));
  for (const [i, code] of [mtn, ...others].entries())
    expect(lineOf(request(dialOn(name, operators[i]), []))).toBe(line.replace(mtn, code));
});

function openDialect(name: string, settings: Settings) {
  const { aggregator, serviceCode } = { aggregator: aggregatorOf(name), serviceCode: '*713*5#' };
  return aggregator.createDialect({
    serviceCode,
    operators: new Map(),
    settings: aggregator.settings.parse(settings ?? {}),
  });
}

/** Returns the gateway's reading of a request, with further fields in its query. */
function readingOf(name: string, { to, body }: WireRequest, settings: Settings): RequestReading {
  const query = to.startsWith('?') ? Object.fromEntries(new URLSearchParams(to)) : {};
  const path = to.startsWith('/') ? to.slice(1) : '';
  return openDialect(name, settings).decode({ body, query, path });
}

/** The fields of a reply that the aggregator does not compare. Each of them must still be a text. */
const ignored: Readonly<Record<string, readonly string[]>> = {
  infobip: ['responseMessage'],
  kairos: ['timestamp'],
  mnotify: ['timestamp'],
  'mtn-madapi': ['statusMessage', 'transactionId', '_link.self.href'],
  nalo: ['MSISDN'],
  southpawsl: ['option'],
  hubtel: ['Label'],
};

function leaves(value: UncheckedMap, path: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    isMap(inner) ? leaves(inner, [...path, name]) : [[...path, name]],
  );
}

/** Returns the value with another one at a path. */
function altered(value: unknown, [name = '', ...path]: readonly string[], other: unknown): UncheckedMap {
  const map = isMap(value) ? value : {};
  return { ...map, [name]: path.length === 0 ? other : altered(map[name], path, other) };
}

const channels: [name: string, settings: Settings][] = [
  ...Object.keys(simulatedAggregators).map((name): [string, Settings] => [
    name,
    demoChannelOf(name).settings,
  ]),
  ['wigal-v1', { trafficIdPerRequest: false }],
  ['wigal-v2', { trafficIdPerRequest: false, modeCase: 'lower' }],
  ['orchard', { messageType: 'number' }],
  ['kairos', { continueValue: '1', endValue: '9' }],
  ['hubtel', { label: 'Shop & Co.' }],
];

describe.each<[name: string, settings: Settings]>(channels)('the phone on %s %j', (name, settings) => {
  const { request, read } = simulatedOf(name);
  const { style } = aggregatorOf(name);
  const dial = dialOn(name, 'mtn', settings);
  const reading = readingOf(name, request(dial, ['1', '2', '7']), settings);
  const encode = (kind: 'continue' | 'end', text: string) =>
    openDialect(name, settings).encode({ kind, text: fitScreen(text, style) }, reading, 0);

  test.each(['continue', 'end'] as const)('shows a screen that must %s', (kind) => {
    const { contentType, body } = encode(kind, 'Shop\n1. Pay');
    expect(read(contentType, body, dial)).toEqual({ kind, text: 'Shop\n1. Pay' });
    expect(read('text/html', body, dial)).toBeUndefined();
    expect(read('application/xml', body, dial)).toBeUndefined();
  });

  test.each(['continue', 'end'] as const)('shows no screen without every field, in a reply to %s', (kind) => {
    const { contentType, body } = encode(kind, 'Shop');
    if (!body.startsWith('{')) return;
    const reply: UncheckedMap = JSON.parse(body);
    const shows = (path: string[], other: unknown) =>
      read(contentType, JSON.stringify(altered(reply, path, other)), dial);
    const shown = leaves(reply).flatMap((path) => [
      ...(shows(path, undefined) ? [`no ${path.join('.')}`] : []),
      ...(shows(path, []) ? [`a list ${path.join('.')}`] : []),
      ...(shows(path, '?')?.text === 'Shop' ? [path.join('.')] : []),
    ]);
    // Nalo does not require the number.
    const optional = name === 'nalo' ? ['no MSISDN', 'a list MSISDN'] : [];
    expect(shown.sort()).toEqual([...optional, ...(ignored[name] ?? [])].sort());
    expect(read(contentType, '[]', dial)).toBeUndefined();
  });
});

/** Replies to a typed input with other values, and whether the phone shows them. */
const replies: readonly (readonly [
  name: string,
  other: UncheckedMap,
  shown: boolean,
  operator?: Operator,
])[] = [
  ...['input', 'menu', 'select', 'confirm'].map((DataType) => ['hubtel', { DataType }, true] as const),
  ...['text', 'phone', 'email', 'number', 'decimal', 'textarea'].map(
    (FieldType) => ['hubtel', { FieldType }, true] as const,
  ),
  ['hubtel', { Label: '' }, false],
  ['hubtel', { Label: 'Menü' }, false],
  ['hubtel', { Message: 'Menü' }, false],
  ['emergent', { MaskNextRoute: false }, false],
  ['beem', { payload: { request_id: 1.5, request: 'Shop' } }, false],
  ['infobip', { responseExitCode: 500 }, false],
  ['kairos', { timestamp: '' }, false],
  ...['$', '`', '<', "'", '&'].flatMap((sign) => [
    ['wigal-v2', { userdata: `a${sign}` }, false, 'at'] as const,
    ['wigal-v2', { userdata: `a${sign}` }, true, 'mtn'] as const,
  ]),
  ['wigal-v2', { userdata: 'a' }, true, 'at'],
  ['wigal-v2', { trafficid: 's-1-1' }, true],
  ['wigal-v2', { trafficid: 'x-s-1' }, false],
];

test.each(replies.map(([name, other, shown, operator = 'mtn']) => ({ name, other, shown, operator })))(
  '$name: a reply with $other is shown on $operator: $shown',
  ({ name, other, shown, operator }) => {
    const dial = dialOn(name, operator);
    const { request, read } = simulatedOf(name);
    const reading = readingOf(name, request(dial, ['1']), dial.settings);
    const { contentType, body } = openDialect(name, dial.settings).encode(
      { kind: 'continue', text: 'Shop' },
      reading,
      0,
    );
    const reply = JSON.stringify({ ...JSON.parse(body), ...other });
    expect(read(contentType, reply, dial) !== undefined).toBe(shown);
  },
);

const line = ['MTN', 'MORE', '233244123456', 's-1', 'Shop', 'dialtill', 's-1-1'];
const lineWith = (at: number, value: string) => line.with(at, value).join('|');

test.each<[name: string, body: string, shown: boolean]>([
  ['africastalking', 'CON Shop', true],
  ['africastalking', 'END Shop', true],
  ['africastalking', 'CON\nShop', false],
  ['africastalking', ' CON Shop', false],
  ['africastalking', 'Con Shop', false],
  ['wigal-v1', line.join('|'), true],
  ['wigal-v1', `${line.join('|')}|`, false],
  ['wigal-v1', line.slice(0, -1).join('|'), false],
  ['wigal-v1', lineWith(0, 'GLO'), false],
  ['wigal-v1', lineWith(1, 'more'), false],
  ['wigal-v1', lineWith(2, '0244123456'), false],
  ['wigal-v1', lineWith(3, 's-2'), false],
  ['wigal-v1', lineWith(5, ''), false],
  ['wigal-v1', lineWith(6, 't-1'), false],
  ...['$', '<', '&', '\r', '\n'].map(
    (sign) => ['wigal-v1', lineWith(4, `a${sign}`), false] as [string, string, boolean],
  ),
])('%s: %j is shown: %s', (name, body, shown) => {
  expect(simulatedOf(name).read('text/plain; charset=utf-8', body, dialOn(name)) !== undefined).toBe(shown);
});

const notice = (ending: string) => ({ kind: 'notice', session: 's-1', ending });
const typed = { kind: 'request', request: { entry: { kind: 'typed' } } };
const dialled = { kind: 'request', request: { entry: { kind: 'dialled' } } };

/** The gateway's readings of a second input with other fields. */
test.each<[name: string, other: UncheckedMap, reading: object]>([
  ['hellio', { status: 'Success' }, notice('completed')],
  ['hellio', { status: 'Failed' }, notice('failed')],
  ['hellio', { status: 'incomplete' }, notice('cancelled')],
  ['hellio', { status: 'Other' }, notice('ended')],
  ['hubtel', { Type: 'timeout' }, notice('timeout')],
  ['hubtel', { Type: 'Release' }, notice('cancelled')],
  ['hubtel', { Type: 'Query' }, typed],
  ['hubtel', { Type: 'Favorite' }, dialled],
  ['nalo', { MSGTYPE: '2' }, notice('ended')],
  ['nalo', { SESSIONID: '' }, { request: { session: '233244123456' } }],
  ['nsano', { UserSessionID: '' }, { request: { session: '233244123456' } }],
  ['wigal-v2', { mode: 'End' }, notice('ended')],
  ['wigal-v2', { mode: 'Start' }, dialled],
  ['wigal-v2', {}, { request: { mark: 's-1-4', ussdRef: 's-1-4' } }],
  ['moolre', {}, { request: { ussdRef: 's-1' } }],
  ['txtghana', { ussdServiceOp: 3 }, notice('failed')],
  ['korba', { ussdServiceOp: 30 }, notice('cancelled')],
  ['korba', { ussdServiceOp: 29 }, typed],
  ['uzo', { ussdServiceOp: 28 }, typed],
  ['uzo', { ussdServiceOp: 29 }, notice('ended')],
  ['uzo', { ussdServiceOp: 255 }, notice('ended')],
  ['uzo', { ussdServiceOp: 256 }, typed],
  ['orchard', { msg_type: 2 }, notice('ended')],
  ['beem', { command: 'terminate' }, notice('ended')],
  ['sendexa', { type: 'end' }, notice('ended')],
  ['sendexa', { type: 'timeout' }, notice('timeout')],
  ['sendexa', { type: 'cancel' }, notice('cancelled')],
  ['mtn-madapi', { messageType: 2 }, notice('ended')],
  ['mtn-madapi', { messageType: 3 }, { kind: 'probe', session: 's-1' }],
  ['mtn-madapi', { messageType: 4 }, notice('cancelled')],
  ['mtn-madapi', { messageType: 5 }, notice('timeout')],
  ['southpawsl', { inputOption: '*713*5*20#' }, dialled],
  ['southpawsl', { inputOption: undefined }, { request: { entry: { kind: 'typed', suffix: ['20'] } } }],
  ...(
    [
      ['txtghana', 'network', { 1: 'mtn', 2: 'telecel', 3: 'at', 6: 'at', 7: 'glo' }],
      ['txtghana', 'network', { '01': 'mtn', '02': 'telecel', '03': 'at', '06': 'at', '07': 'glo' }],
      ['hellio', 'networkCode', { 99999: 'unknown' }],
    ] as const
  ).flatMap(([name, field, codes]) =>
    Object.entries(codes).map(([code, operator]): [string, UncheckedMap, object] => [
      name,
      { [field]: code },
      { request: { operator } },
    ]),
  ),
])('%s with %j is read', (name, other, expected) => {
  const { to, body, ...request } = simulatedOf(name).request(dialOn(name), ['1', '2', '7']);
  const fields = body.startsWith('{')
    ? JSON.parse(body)
    : JSON.parse([...new URLSearchParams(body).keys()][0] ?? '');
  const sent = { ...request, to, body: JSON.stringify({ ...fields, ...other }) };
  expect(readingOf(name, sent, undefined)).toMatchObject(expected);
});

test('the network of the sandbox is no unlisted one', () => {
  const request = simulatedOf('africastalking').request(dialOn('africastalking', 'unknown'), []);
  expect(readingOf('africastalking', request, undefined)).not.toHaveProperty('request.unlistedNetwork');
});

test.each(['africastalking', 'moolre'])('%s sends no suffix of another code', (name) => {
  const dial = { ...dialOn(name), dialled: '*714*5*20#' };
  expect(decodeURIComponent(simulatedOf(name).request(dial, []).body)).toMatch(/text=$|"data":""/);
});

test('Moolre sends the extension of the code, and all answers of the suffix', () => {
  const dial = { ...dialOn('moolre'), serviceCode: '*203*109#', dialled: '*203*109*1*20#' };
  const { body } = simulatedOf('moolre').request(dial, []);
  expect(decodeURIComponent(body)).toContain('"extension":109,"data":"1*20"');
});

test('Beem sends no input in a dial of the code alone', () => {
  const dial = { ...dialOn('beem'), dialled: '*713*5#' };
  expect(JSON.parse(simulatedOf('beem').request(dial, []).body).payload).toEqual({
    request_id: 0,
    response: '',
  });
});

test('Wigal can keep one traffic id in a session', () => {
  const settings = { trafficIdPerRequest: false };
  const request = simulatedOf('wigal-v1').request(dialOn('wigal-v1', 'mtn', settings), ['1']);
  expect(request.to).toContain('&trafficid=s-1&');
  const reading = readingOf('wigal-v1', request, settings);
  expect(reading).toMatchObject({ request: { ussdRef: 's-1' } });
  expect(reading).not.toHaveProperty('request.mark');
});

/** Settings, and what the schema makes of them: the values, or the error. */
test.each<[name: string, settings: UncheckedMap, result: UncheckedMap | string]>([
  ['nalo', { other: 1 }, 'Unrecognized key: "other"'],
  ['hubtel', {}, { label: 'Payment' }],
  ['hubtel', { label: 1 }, 'expected a short title'],
  ...['', 'x'.repeat(41), 'é', 'Shop!', '!Shop', `${'x'.repeat(40)}!`].map(
    (label): [string, UncheckedMap, string] => [
      'hubtel',
      { label },
      'expected 1 to 40 unaccented letters, digits and blanks',
    ],
  ),
  ['wigal-v1', {}, { trafficIdPerRequest: true }],
  ['wigal-v1', { trafficIdPerRequest: 'no' }, 'expected true or false'],
  ['wigal-v2', {}, { trafficIdPerRequest: true, modeCase: 'upper' }],
  ['wigal-v2', { modeCase: 'Upper' }, 'expected upper or lower'],
  ['orchard', {}, { messageType: 'text' }],
  ['orchard', { messageType: 1 }, 'expected text or number'],
  ['infobip', {}, { endOnFirst: false }],
  ['infobip', { endOnFirst: 1 }, 'expected true or false'],
  ['kairos', {}, { continueValue: '0', endValue: '2' }],
  ['kairos', { endValue: 2 }, 'expected a message type in quotes, such as "0"'],
  ['kairos', { endValue: '0' }, 'endValue: expected another value than continueValue'],
  ...['', 'x'.repeat(17), '2!', '!2'].map((endValue): [string, UncheckedMap, string] => [
    'kairos',
    { endValue },
    'expected 1 to 16 letters, digits, - or _',
  ]),
])('the settings of %s %j are %j', (name, settings, result) => {
  const { data, error } = aggregatorOf(name).settings.safeParse(settings);
  const messages = error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', ');
  if (typeof result === 'string') expect(messages).toContain(result);
  else expect(data).toEqual(result);
});
