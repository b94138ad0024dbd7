import {
  createPost,
  type Dial,
  readJson,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';
import { hasEcho, wigalFields, withLineBreaks } from '../wigal-v1/simulated.ts';

function json(dial: Dial, typed: readonly string[], mode: 'START' | 'MORE' | 'END') {
  const { msisdn, ...fields } = wigalFields(dial, typed, mode);
  const request = { ...fields, mode: mode.toLowerCase(), phonenumber: msisdn };
  return createPost('application/json; charset=UTF-8', JSON.stringify(request));
}

/** Requests are JSON; the reply is the same object with another `mode` and with the screen in `userdata`. */
export const simulated: SimulatedAggregator = {
  request: (dial, typed) => json(dial, typed, typed.length === 0 ? 'START' : 'MORE'),

  endNotice: (dial, typed) => json(dial, typed, 'END'),

  read(contentType, body, dial) {
    const reply = readJson(contentType, body);
    if (reply?.other !== '' || typeof reply.userdata !== 'string') return undefined;
    const { network, sessionid, phonenumber, username, trafficid, userdata } = reply;
    if (!hasEcho(dial, { network, sessionid, number: phonenumber, username, trafficid })) return undefined;
    // AT does not always display a screen with one of these characters.
    if (dial.operator === 'at' && /[$`<'&]/.test(userdata)) return undefined;
    const [continues, ends] = dial.settings?.modeCase === 'lower' ? ['more', 'end'] : ['MORE', 'END'];
    return readScreen(withLineBreaks(userdata), reply.mode, continues, ends);
  },
};
