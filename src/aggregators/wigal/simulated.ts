import {
  createPost,
  type Dial,
  networkNames,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

const username = 'dialtill';

/** Returns the fields of a request in both versions. Each request has a new traffic id, unless the channel's settings disable it. */
function wigalFields(dial: Dial, typed: readonly string[], mode: 'START' | 'MORE' | 'END') {
  const requestNumber = typed.length + (mode === 'END' ? 2 : 1);
  const perRequest = dial.settings?.trafficIdPerRequest !== false;
  return {
    network: networkNames[dial.operator],
    sessionid: dial.session,
    mode,
    msisdn: dial.msisdn as string,
    userdata: mode === 'END' ? '' : (typed.at(-1) ?? dial.dialled),
    username,
    trafficid: perRequest ? `${dial.session}-${requestNumber}` : dial.session,
    other: '',
  };
}

/** Returns whether a reply echoes the required values. The traffic id can belong to any request of the session. */
function hasEcho(
  dial: Dial,
  reply: { network: unknown; sessionid: unknown; number: unknown; username: unknown; trafficid: unknown },
): boolean {
  const { trafficid } = reply;
  return (
    reply.network === networkNames[dial.operator] &&
    reply.sessionid === dial.session &&
    reply.number === dial.msisdn &&
    reply.username === username &&
    typeof trafficid === 'string' &&
    trafficid.startsWith(dial.session)
  );
}

/** Returns the text with line breaks. It is not cut at 160 characters as on a phone. */
function withLineBreaks(userdata: string): string {
  return userdata.replaceAll('^', '\n');
}

function get(dial: Dial, typed: readonly string[], mode: 'START' | 'MORE' | 'END') {
  const query = new URLSearchParams(wigalFields(dial, typed, mode));
  return { method: 'GET', to: `?${query}`, contentType: '', body: '' } as const;
}

/** Requests are queries; the reply is one line of text with seven fields between pipes, with `^` as the line break. */
export const simulatedWigalV1: SimulatedAggregator = {
  request: (dial, typed) => get(dial, typed, typed.length === 0 ? 'START' : 'MORE'),

  endNotice: (dial, typed) => get(dial, typed, 'END'),

  read(contentType, body, dial) {
    if (!contentType.startsWith('text/plain') || /[\r\n]/.test(body)) return undefined;
    const [network, mode, number, sessionid, text = '', user, trafficid, ...more] = body.split('|');
    if (more.length > 0 || !hasEcho(dial, { network, sessionid, number, username: user, trafficid })) {
      return undefined;
    }
    // Wigal does not display a screen with one of these characters.
    return /[$<&]/.test(text) ? undefined : readScreen(withLineBreaks(text), mode, 'MORE', 'END');
  },
};

function json(dial: Dial, typed: readonly string[], mode: 'START' | 'MORE' | 'END') {
  const { msisdn, ...fields } = wigalFields(dial, typed, mode);
  const request = { ...fields, mode: mode.toLowerCase(), phonenumber: msisdn };
  return createPost('application/json; charset=UTF-8', JSON.stringify(request));
}

/** Requests are JSON; the reply is the same object with another `mode` and with the screen in `userdata`. */
export const simulatedWigalV2: SimulatedAggregator = {
  request: (dial, typed) => json(dial, typed, typed.length === 0 ? 'START' : 'MORE'),

  endNotice: (dial, typed) => json(dial, typed, 'END'),

  read(contentType, body, dial) {
    const reply = readJsonAnswer(contentType, body);
    if (reply?.other !== '' || typeof reply.userdata !== 'string') return undefined;
    const { network, sessionid, phonenumber, username, trafficid, userdata } = reply;
    if (!hasEcho(dial, { network, sessionid, number: phonenumber, username, trafficid })) return undefined;
    // AT does not always display a screen with one of these characters.
    if (dial.operator === 'at' && /[$`<'&]/.test(userdata)) return undefined;
    const [continues, ends] = dial.settings?.modeCase === 'lower' ? ['more', 'end'] : ['MORE', 'END'];
    return readScreen(withLineBreaks(userdata), reply.mode, continues, ends);
  },
};
