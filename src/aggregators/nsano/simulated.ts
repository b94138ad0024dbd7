import { mapOrEmpty } from '../../shared/map.ts';
import {
  createJsonPost,
  networkNames,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

/** Requests are JSON with the dialled string, then the last input; the reply contains the screen in `USSDResp`. */
export const simulatedNsano: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({
      UserSessionID: dial.session,
      msisdn: dial.msisdn,
      network: networkNames[dial.operator],
      msg: typed.at(-1) ?? dial.dialled,
    }),

  read(contentType, body) {
    const reply = readJsonAnswer(contentType, body)?.USSDResp;
    const { action, menus, title } = mapOrEmpty(reply);
    return menus === '' ? readScreen(title, action, 'input', 'prompt') : undefined;
  },
};
