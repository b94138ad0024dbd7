/*
 * Updates the page without loading it again: forms are sent in the background, and events of the server show prompts and payments.
 * The server renders everything. Its pages arrive as documents, which no text is parsed for, so that Trusted Types need no policy.
 */

/** @returns {HTMLElement} */
const main = () => /** @type {HTMLElement} */ (document.getElementById('phones'));

/** @param {string} text */
function announce(text) {
  const announcement = document.getElementById('announcement');
  if (announcement) announcement.textContent = text;
}

const unreachable = 'The gateway is not reachable. This page goes on by itself when it is back.';

/**
 * @param {string} method
 * @param {string} url
 * @param {URLSearchParams} [body]
 * @returns {Promise<Document | null>}
 */
function load(method, url, body) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = 'document';
    request.onload = () => resolve(request.responseXML);
    request.onerror = () => reject(new Error(unreachable));
    request.send(body);
  });
}

/** Ids of the phones of a page, in order. @param {ParentNode} page */
const idsOf = (page) => [...page.querySelectorAll('.unit[id^="phone-"]')].map(({ id }) => id).join(' ');

/**
 * Shows a page of the server. A phone that has not changed keeps its element, with the text that a person is typing.
 *
 * @param {Document | null} page
 */
function show(page) {
  const next = page?.getElementById('page');
  const before = document.getElementById('page');
  if (!next || !before) return;
  adoptIcons(/** @type {Document} */ (page));
  markNew(before);
  for (const line of markNew(next)) line.classList.add('new-line');
  const isSame = idsOf(before) === idsOf(next);
  if (!isSame || before.querySelector('#message') || next.querySelector('#message')) {
    before.replaceWith(document.adoptNode(next));
    announceAlert();
    return;
  }
  const { version } = /** @type {HTMLElement} */ (next.querySelector('#phones')).dataset;
  for (const part of [...next.querySelectorAll('.unit, #log')]) {
    const old = document.getElementById(part.id);
    if (old && old.dataset.version !== /** @type {HTMLElement} */ (part).dataset.version) replace(old, part);
  }
  main().dataset.version = version;
}

/** Adds the shapes of icons that the page has not used before. @param {Document} page */
function adoptIcons(page) {
  for (const shape of [...page.querySelectorAll('symbol')])
    if (!document.getElementById(shape.id))
      document.querySelector('body > svg')?.append(document.adoptNode(shape));
}

/** The lines of entries and logs that the page has shown. */
const shownLines = new Set();

/** Returns the lines that the page has not shown before. @param {Element} page */
function markNew(page) {
  const lines = [...page.querySelectorAll('[data-line]')].filter(
    (line) => !shownLines.has(line.getAttribute('data-line')),
  );
  for (const line of lines) shownLines.add(line.getAttribute('data-line'));
  return lines;
}

function announceAlert() {
  const alert = document.querySelector('[role="alert"]');
  if (alert) announce(alert.textContent ?? '');
  else focusNewest();
}

/**
 * @param {HTMLElement} old
 * @param {Element} next
 */
function replace(old, next) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const typed = valuesOf(old);
  for (const { id } of old.querySelectorAll('details[id][open]'))
    next.querySelector(`#${id}`)?.setAttribute('open', '');
  const oldTurn = turnOf(old);
  const news = newsOf(next) === newsOf(old) ? undefined : newsOf(next);
  old.replaceWith(document.adoptNode(next));
  if (turnOf(next) === oldTurn) restore(typed);
  if (next.matches('.unit')) {
    const screen = turnOf(next) === oldTurn ? '' : (next.querySelector('[data-screen]')?.textContent ?? '');
    const text = news ?? screen;
    if (text !== '') announce(text);
    if (focused) focusIn(next);
  } else if (focused?.id) document.getElementById(focused.id)?.focus();
}

/** What a person must hear at once: a fault, a prompt, a receipt. @param {Element} phone */
const newsOf = (phone) => phone.querySelector('[role="alert"], .sheet h3, .sms')?.textContent ?? undefined;

/** @param {Element} phone */
const turnOf = (phone) => phone.querySelector('[data-screen]')?.getAttribute('data-screen');

/** @param {Element} phone */
function valuesOf(phone) {
  return [...phone.querySelectorAll('input')].map(({ id, value, type }) => ({ id, value, type }));
}

/** A PIN that was refused is not restored. @param {{ id: string, value: string, type: string }[]} values */
function restore(values) {
  for (const { id, value, type } of values) {
    const input = id === '' ? null : document.getElementById(id);
    const isRefused = type === 'password' && input?.hasAttribute('aria-invalid');
    if (input instanceof HTMLInputElement && !isRefused) input.value = value;
  }
}

/** Focuses the field of a phone that is not folded, or its screen. @param {Element} phone */
function focusIn(phone) {
  const target =
    phone.querySelector('[data-entry]:not(details [data-entry])') ?? phone.querySelector('[data-screen]');
  if (target instanceof HTMLElement) target.focus({ preventScroll: target.matches('[data-screen]') });
}

function focusNewest() {
  const newest = [...document.querySelectorAll('.unit')].at(-1);
  if (newest) focusIn(newest);
}

/** Shows a fault above the phones, until the next page of the server replaces it. @param {unknown} fault */
function showFault(fault) {
  const message = document.getElementById('message') ?? document.createElement('p');
  message.id = 'message';
  message.className = 'flash bad';
  message.setAttribute('role', 'alert');
  message.textContent = fault instanceof Error ? fault.message : String(fault);
  main().prepend(message);
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form, event.submitter)) fields.append(name, String(value));
  const action = event.submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  load('POST', action, fields)
    .then((page) => {
      show(page);
      listen();
    })
    .catch(showFault);
});

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target.closest('[data-key], [data-copy]') : null;
  if (target instanceof HTMLButtonElement) typeKey(target, target.dataset.key ?? '');
  if (target instanceof HTMLAnchorElement) {
    event.preventDefault();
    copy(target).catch(showFault);
  }
});

/** The field in which a person typed last. @type {HTMLInputElement | undefined} */
let lastField;
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLInputElement) lastField = target;
});

/**
 * @param {HTMLElement} button
 * @param {string} key
 */
function typeKey(button, key) {
  const unit = button.closest('.unit');
  const field = lastField && unit?.contains(lastField) ? lastField : unit?.querySelector('[data-entry]');
  if (!(field instanceof HTMLInputElement)) return;
  field.closest('details')?.setAttribute('open', '');
  if (key === 'delete') field.value = field.value.slice(0, -1);
  else if (field.value.length < field.maxLength && (field.inputMode !== 'numeric' || /\d/.test(key)))
    field.value += key;
}

/** @param {HTMLAnchorElement} link */
async function copy(link) {
  const answer = await fetch(link.href);
  if (!answer.ok) throw new Error('There is no dialogue yet.');
  await navigator.clipboard.writeText(await answer.text());
  link.textContent = 'Copied';
  announce('The transcript is in the clipboard. dialtill rehearse plays it.');
}

/** @type {EventSource | undefined} */
let events;

/** Listens for changes, while there is a phone. */
function listen() {
  if (events && events.readyState !== EventSource.CLOSED) return;
  if (idsOf(document) === '') return;
  events = new EventSource('/phone/events');
  const update = () => load('GET', '/phone').then(show).catch(showFault);
  events.addEventListener('change', ({ data }) => {
    if (data !== main().dataset.version) update();
  });
  events.addEventListener('ended', () => {
    events?.close();
    update();
  });
  // A browser connects again by itself, unless the gateway has no phones of it any more.
  events.addEventListener('error', () => {
    if (events?.readyState === EventSource.CLOSED) update();
    else showFault(unreachable);
  });
  events.addEventListener('open', () => {
    if (document.getElementById('message')?.textContent === unreachable) update();
  });
}

document.documentElement.dataset.live = '';
listen();
focusNewest();
