import {
  createPost,
  type Dial,
  readJson,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';
import { sentBack, shown, wigalFields } from '../wigal-v1/simulated.ts';

function json(dial: Dial, typed: readonly string[], mode: 'START' | 'MORE' | 'END') {
  const { msisdn, ...fields } = wigalFields(dial, typed, mode);
  const request = { ...fields, mode: mode.toLowerCase(), phonenumber: msisdn };
  return createPost('application/json; charset=UTF-8', JSON.stringify(request));
}

/** JSON; the same object comes back with another `mode` and the screen in `userdata`. */
export const simulated: SimulatedAggregator = {
  request: (dial, typed) => json(dial, typed, typed.length === 0 ? 'START' : 'MORE'),

  endNotice: (dial, typed) => json(dial, typed, 'END'),

  read(contentType, body, dial) {
    const reply = readJson(contentType, body);
    if (reply?.other !== '' || typeof reply.userdata !== 'string') return undefined;
    const { network, sessionid, phonenumber, username, trafficid, userdata } = reply;
    if (!sentBack(dial, { network, sessionid, number: phonenumber, username, trafficid })) return undefined;
    // On AT a screen with one of these may not be displayed.
    if (dial.operator === 'at' && /[$`<'&]/.test(userdata)) return undefined;
    const [more, end] = dial.settings?.modeCase === 'lower' ? ['more', 'end'] : ['MORE', 'END'];
    return readScreen(shown(userdata), reply.mode, more, end);
  },
};
