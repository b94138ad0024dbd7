import {
  createJsonPost,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

/** Returns the time of a request: one second after the previous one, so that equal calls result in equal bytes. */
const timestamp = (requests: number) => new Date(Date.UTC(2026, 2, 6, 9, 0, requests)).toISOString();

/** Requests are JSON with the dialled string, then the last input, and without a network; lines of a reply end with CR LF. */
export const simulatedMnotify: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({
      msisdn: dial.msisdn,
      sequenceID: dial.session,
      data: typed.at(-1) ?? dial.dialled,
      timestamp: timestamp(typed.length),
    }),

  read(contentType, body, dial) {
    const reply = readJsonAnswer(contentType, body);
    const { msisdn, sequenceID, message, continueFlag } = reply ?? {};
    if (msisdn !== dial.msisdn || sequenceID !== dial.session || typeof reply?.timestamp !== 'string') {
      return undefined;
    }
    const screen = readScreen(message, continueFlag, 0, 1);
    return screen && { ...screen, text: screen.text.replaceAll('\r\n', '\n') };
  },
};
