import { type Dial, networkNames, readScreen, type SimulatedAggregator } from '../simulated-aggregator.ts';

const username = 'dialtill';

/** The fields of a request in both versions. Each request has a traffic id of its own, unless the channel says otherwise. */
export function wigalFields(dial: Dial, typed: readonly string[], mode: 'START' | 'MORE' | 'END') {
  const hop = typed.length + (mode === 'END' ? 2 : 1);
  const perRequest = dial.settings?.trafficIdPerRequest !== false;
  return {
    network: networkNames[dial.operator],
    sessionid: dial.session,
    mode,
    msisdn: dial.msisdn as string,
    userdata: mode === 'END' ? '' : (typed.at(-1) ?? dial.dialled),
    username,
    trafficid: perRequest ? `${dial.session}-${hop}` : dial.session,
    other: '',
  };
}

/** True for the values that a reply has to bring back. Which request it answers only the traffic id tells. */
export function sentBack(
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

/** The text as phones show it, but whole: what is longer than 160 characters would be cut. */
export function shown(userdata: string): string {
  return userdata.replaceAll('^', '\n');
}

function get(dial: Dial, typed: readonly string[], mode: 'START' | 'MORE' | 'END') {
  const query = new URLSearchParams(wigalFields(dial, typed, mode));
  return { method: 'GET', to: `?${query}`, contentType: '', body: '' } as const;
}

/** A query; one line of text with seven fields between pipes comes back, `^` for a line break. */
export const simulated: SimulatedAggregator = {
  request: (dial, typed) => get(dial, typed, typed.length === 0 ? 'START' : 'MORE'),

  endNotice: (dial, typed) => get(dial, typed, 'END'),

  read(contentType, body, dial) {
    if (!contentType.startsWith('text/plain') || /[\r\n]/.test(body)) return undefined;
    const [network, mode, number, sessionid, text = '', user, trafficid, ...more] = body.split('|');
    if (more.length > 0 || !sentBack(dial, { network, sessionid, number, username: user, trafficid })) {
      return undefined;
    }
    // A screen with one of these is not displayed.
    return /[$<&]/.test(text) ? undefined : readScreen(shown(text), mode, 'MORE', 'END');
  },
};
