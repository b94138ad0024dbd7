import { unreachable } from '../../shared/errors.ts';
import { mentionsFee, quoteFor } from '../effects/quote.ts';
import type { ConfirmScreen, Menu, MessageName, Text } from '../schema.ts';
import type { MenuContext, MenuState } from '../state/state.ts';
import { languageName, message, paymentTemplateValues } from '../text/messages.ts';
import { fill, likelyOperator, pick, questionTemplateValues, templateValuesOf } from '../text/render.ts';
import { offerKeys } from './keys.ts';
import { optionsOf } from './options.ts';
import { offersOf, paymentMessages } from './payment-offers.ts';
import type { MenuScreen } from './screen.ts';

/** What a screen says: each line of its text, each option. */
export function draw(menu: Menu, screen: MenuScreen, state: MenuState, context: MenuContext): string[] {
  const { language, answers, callerHistory: arrival = {} } = state;
  const values = templateValuesOf(answers, context, quoteFor(state, context));
  const lines = (text: Text, all = values) => fill(pick(text, language), all).split('\n');
  const say = (name: MessageName) => message(menu, language, name, values);
  const numbered = (labels: readonly string[]) => labels.map((label, i) => `${i + 1}. ${label}`);
  const offered = (labels: readonly string[]) => {
    const keys = offerKeys(labels.length, state, context);
    return labels.map((label, i) => `${keys[i]}. ${label}`);
  };
  switch (screen.kind) {
    case 'choose': {
      const labels = optionsOf(screen, state, context).map(({ option, item }) =>
        fill(pick(option.label, language), { ...values, ...item }),
      );
      return [...lines(screen.text), ...numbered(labels)];
    }
    case 'ask':
      return lines(screen.text, { ...values, ...questionTemplateValues(screen) });
    case 'confirm':
      return [...confirmLines(menu, screen, state, context), ...yesOrNo(menu, state)];
    case 'end':
      return lines(screen.operators[likelyOperator(answers, context)] ?? screen.text);
    case 'status':
      return lines(screen.text);
    case 'requests':
      return [
        ...lines(screen.text),
        ...say(context.blocksRequests ? 'requestsOff' : 'requestsOn').split('\n'),
        ...numbered([say(context.blocksRequests ? 'allowRequests' : 'blockRequests'), say('leaveUnchanged')]),
      ];
    case 'language':
      return [context.merchant, ...offered(menu.languages.map((one) => languageName(menu, one)))];
    case 'resume':
      return [...say('resume').split('\n'), ...offered([say('continue'), say('startOver')])];
    case 'payment': {
      const { payment: standing } = arrival;
      if (standing === undefined) return [];
      const told = message(
        menu,
        language,
        paymentMessages[standing.state],
        paymentTemplateValues(standing, context),
      );
      const isAsked = standing.payer === context.dialler && standing.dialler !== context.dialler;
      const by = isAsked ? [say('anotherPhone')] : [];
      return [...by, ...told.split('\n'), ...offered(offersOf(standing, context).map(say))];
    }
    case 'duplicate': {
      const { duplicate: twin } = state;
      if (twin === undefined) return [];
      // Whoever had no part in it learns neither when it was nor what came of it.
      const isOwn = twin.payer === context.dialler || twin.dialler === context.dialler;
      const told = message(
        menu,
        language,
        isOwn ? 'duplicate' : 'duplicateOther',
        paymentTemplateValues(twin, context),
      );
      return [...told.split('\n'), ...yesOrNo(menu, state)];
    }
    case 'lookup':
      return [];
    default:
      return unreachable(screen);
  }
}

/**
 * The question, with what the service would take, and whose wallet it is. Where no line of the menu's own says the fee,
 * one of the gateway's does: nobody agrees to a sum without it.
 */
function confirmLines(menu: Menu, { text }: ConfirmScreen, state: MenuState, context: MenuContext): string[] {
  const { language, answers } = state;
  const quote = quoteFor(state, context);
  const values = templateValuesOf(answers, context, quote);
  const said = pick(text, language).split('\n');
  const firstOfFee = said.findIndex(mentionsFee);
  const own = said.flatMap((line, i) => {
    if (quote !== undefined || !mentionsFee(line)) return fill(line, values);
    return i === firstOfFee ? message(menu, language, 'feeMayApply') : [];
  });
  // With a quote, a line that also holds a name without a value is left out, and its fee with it.
  const isTold = said.some((line) => mentionsFee(line) && (quote === undefined || fill(line, values) !== ''));
  const fee = message(menu, language, quote === undefined ? 'feeMayApply' : 'feeAndTotal', values);
  const lines = isTold ? own : [...own, fee];
  const isOther = answers.payer !== undefined && answers.payer !== context.dialler;
  return isOther ? [...lines, message(menu, language, 'consent', values)] : lines;
}

function yesOrNo(menu: Menu, state: MenuState): string[] {
  const keys = confirmKeys(state);
  const say = (name: MessageName) => message(menu, state.language, name);
  return [`${keys.yes}. ${say('yes')}`, `${keys.no}. ${say('no')}`];
}

/** The first that was not typed just before, nor before that. */
const keysFor = { yes: ['1', '7', '9'], no: ['2', '8', '6'] } as const;

/**
 * The keys of a confirm screen are never the input that led to it: a repeat of that input must not say yes,
 * nor no (scenario S02). Mistakes on the screen leave them as they are.
 */
export function confirmKeys({ lastInput, previousInput }: Pick<MenuState, 'lastInput' | 'previousInput'>): {
  yes: string;
  no: string;
} {
  const free = (keys: readonly string[]) =>
    keys.find((key) => key !== lastInput && key !== previousInput) ?? '';
  return { yes: free(keysFor.yes), no: free(keysFor.no) };
}
