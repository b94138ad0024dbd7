import express from '../../tools/peers/express.ts';
import UssdMenu from '../../tools/peers/ussd-menu-builder.ts';

/** The dialects that ussd-menu-builder speaks, by the gateway's names for them. */
export const peerDialects = { africastalking: 'africasTalking', hubtel: 'hubtel' } as const;

/**
 * The part of the shop menu that the benchmark uses, built as the README of ussd-menu-builder shows: sessions in
 * memory.
 */
function shopMenu(provider: UssdMenu.UssdMenuProvider): UssdMenu {
  const menu = new UssdMenu({ provider });
  const sessions = new Map<string, Record<string, unknown>>();
  menu.sessionConfig({
    start(session, done) {
      if (!sessions.has(session)) sessions.set(session, {});
      done?.();
    },
    end(session, done) {
      sessions.delete(session);
      done?.();
    },
    set(session, key, value, done) {
      sessions.set(session, { ...sessions.get(session), [key]: value });
      done?.();
    },
    get(session, key, done) {
      done?.(null, sessions.get(session)?.[key]);
    },
  });
  menu.on('error', (fault) => {
    throw fault;
  });
  menu.startState({
    run: () => menu.con('Shop\n1. Pay with this number\n2. Pay with another number\n3. Pay a bill\n4. Twi'),
    next: { '1': 'amount' },
  });
  menu.state('amount', {
    run: () => menu.con('Amount in GHS, such as 20 or 20.50:'),
    next: { '*^\\d{1,4}(\\.\\d{1,2})?$': 'confirm' },
  });
  menu.state('confirm', {
    run: () => {
      const amount = Number(menu.val).toFixed(2);
      const payer = `0${menu.args.phoneNumber.slice(-9)}`;
      menu.session
        .set('amount', amount)
        .then(() => menu.con(`Pay GHS ${amount} to Shop\nfrom ${payer}?\n1. Yes\n2. No`));
    },
    next: { '1': 'done', '2': 'cancelled' },
  });
  menu.state('done', {
    run: () => {
      menu.session
        .get('amount')
        .then((amount: string) => menu.end(`Approve GHS ${amount} to Shop with your PIN.`));
    },
  });
  menu.state('cancelled', { run: () => menu.end('Cancelled. Nothing was paid.') });
  return menu;
}

/** ussd-menu-builder on express: one callback for each dialect that it speaks. */
export function peerApp() {
  const app = express();
  const talking = shopMenu(peerDialects.africastalking);
  app.post('/ussd/africastalking/:secret', express.urlencoded({ extended: false }), (request, response) => {
    const { phoneNumber, sessionId, serviceCode, text } = request.body;
    const answer = (screen: string) => response.type('text/plain').send(screen);
    talking.run({ phoneNumber, sessionId, serviceCode, text }, answer);
  });
  const hubtel = shopMenu(peerDialects.hubtel);
  app.post('/ussd/hubtel/:secret', express.json(), (request, response) => {
    hubtel.run(request.body, (screen: UssdMenu.HubtelResponse) => response.json(screen));
  });
  return app;
}
