import { z } from 'zod';
import type { AggregatorEntry } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';
import type { Description } from '../description/description.ts';
import { createPost, type Dial, networkNames, readJsonAnswer, readScreen } from '../simulated-aggregator.ts';

/** The settings of both versions. */
const wigalSettings = {
  /** True if each request has a new traffic id, so that an equal id marks a repeat. False if a session keeps one id. */
  trafficIdPerRequest: z.boolean({ error: 'expected true or false' }).default(true),
};

/** Returns the common part of the requests of both versions. */
function wigalRequest(trafficIdPerRequest: boolean): Omit<Description, 'number' | 'reply'> {
  return {
    session: ['sessionid'],
    operator: ['network'],
    input: ['userdata'],
    kind: { field: ['mode'], first: ['START'], ended: { END: 'ended' } },
    ...(trafficIdPerRequest ? { mark: ['trafficid'] } : {}),
    // Wigal's payment interface skips the OTP for the traffic id of a closed session.
    ussdRef: ['trafficid'],
  };
}

const replyLine = (mode: string) => `{network}|${mode}|{msisdn}|{sessionid}|{text}|{username}|{trafficid}`;

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

/**
 * Wigal Smart USSD, version 1: GET with all fields in the query. The reply is one line of text with seven fields between
 * pipes; `^` is the line break.
 */
export const wigalV1: AggregatorEntry = {
  // Not sequenced: a repeat can have a new traffic id.
  aggregator: describeWith(
    {
      name: 'wigal-v1',
      title: 'Wigal Smart USSD v1',
      method: 'GET',
      style: { lineBreak: '^', forbidden: '$<&|^' },
      promptDelayMs: 3_000,
    },
    z.strictObject(wigalSettings),
    ({ trafficIdPerRequest }) => ({
      ...wigalRequest(trafficIdPerRequest),
      number: ['msisdn'],
      reply: { continue: replyLine('MORE'), end: replyLine('END') },
    }),
  ),
  demoCode: '*718*5#',
  /** Requests are queries; the reply is one line of text with seven fields between pipes, with `^` as the line break. */
  simulated: {
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
  },
};

const settings = z.strictObject({
  ...wigalSettings,
  /** The spelling of the mode in replies: `MORE` and `END`, or `more` and `end`. */
  modeCase: z.enum(['upper', 'lower'], { error: 'expected upper or lower' }).default('upper'),
});

function json(dial: Dial, typed: readonly string[], mode: 'START' | 'MORE' | 'END') {
  const { msisdn, ...fields } = wigalFields(dial, typed, mode);
  const request = { ...fields, mode: mode.toLowerCase(), phonenumber: msisdn };
  return createPost('application/json; charset=UTF-8', JSON.stringify(request));
}

/**
 * Wigal Smart USSD, version 2: the fields of version 1 as JSON. The reply is the same object with another `mode` and with
 * the screen in `userdata`.
 */
export const wigalV2: AggregatorEntry = {
  aggregator: describeWith(
    { name: 'wigal-v2', title: 'Wigal Smart USSD v2', style: { forbidden: "$<&|^'" }, promptDelayMs: 5_000 },
    settings,
    ({ trafficIdPerRequest, modeCase }) => {
      const [more, end] = modeCase === 'upper' ? ['MORE', 'END'] : ['more', 'end'];
      return {
        ...wigalRequest(trafficIdPerRequest),
        // The document uses the first name, the official sample the second.
        number: ['msisdn', 'phonenumber'],
        reply: {
          contentType: 'application/json; charset=UTF-8',
          echo: true,
          continue: { mode: more, userdata: '{text}' },
          end: { mode: end, userdata: '{text}' },
        },
      };
    },
  ),
  demoCode: '*718*6#',
  /** Requests are JSON; the reply is the same object with another `mode` and with the screen in `userdata`. */
  simulated: {
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
  },
};
