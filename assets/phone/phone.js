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
    request.onerror = () => reject(new Error('The gateway is not reachable. Load this page again.'));
    request.send(body);
  });
}

/** Ids of the phones of a page, in order. @param {ParentNode} page */
const idsOf = (page) => [...page.querySelectorAll('.phone')].map(({ id }) => id).join(' ');

/**
 * Shows a page of the server. A phone that has not changed keeps its element, with the text that a person is typing.
 *
 * @param {Document | null} page
 */
function show(page) {
  const next = page?.getElementById('phones');
  if (!next) return;
  const before = main();
  if (idsOf(before) !== idsOf(next) || before.querySelector('#message') || next.querySelector('#message')) {
    before.replaceWith(document.adoptNode(next));
    announceAlert();
    return;
  }
  for (const phone of [...next.querySelectorAll('.phone')]) {
    const old = document.getElementById(phone.id);
    if (old && old.dataset.version !== /** @type {HTMLElement} */ (phone).dataset.version)
      replace(old, phone);
  }
  before.dataset.version = next.dataset.version;
}

function announceAlert() {
  const message = document.getElementById('message');
  if (message) announce(message.textContent ?? '');
  else focusNewest();
}

/**
 * @param {HTMLElement} old
 * @param {Element} next
 */
function replace(old, next) {
  const hadFocus = old.contains(document.activeElement);
  const typed = valuesOf(old);
  for (const details of old.querySelectorAll('details')) {
    const same = details.className && next.querySelector(`details.${details.className}`);
    if (details.classList.contains('wire') && same) same.toggleAttribute('open', details.open);
  }
  const oldTurn = turnOf(old);
  old.replaceWith(document.adoptNode(next));
  if (turnOf(next) === oldTurn) restore(typed);
  if (turnOf(next) !== oldTurn) announce(next.querySelector('.screen')?.textContent ?? '');
  else announce(next.querySelector('.prompt h3, .payment strong')?.textContent ?? '');
  if (hadFocus) focusIn(next);
}

/** @param {Element} phone */
const turnOf = (phone) => phone.querySelector('.screen')?.getAttribute('data-screen');

/** @param {Element} phone */
function valuesOf(phone) {
  return [...phone.querySelectorAll('input')].map(({ id, value }) => ({ id, value }));
}

/** @param {{ id: string, value: string }[]} values */
function restore(values) {
  for (const { id, value } of values) {
    const input = id === '' ? null : document.getElementById(id);
    if (input instanceof HTMLInputElement) input.value = value;
  }
}

/** @param {Element} phone */
function focusIn(phone) {
  const target = ['[data-pin]', '[data-answer]', '.screen']
    .map((name) => phone.querySelector(name))
    .find(Boolean);
  if (target instanceof HTMLElement) target.focus();
}

function focusNewest() {
  const newest = [...document.querySelectorAll('.phone')].at(-1);
  if (newest) focusIn(newest);
}

/** Shows a fault above the phones, until the next page of the server replaces it. @param {unknown} fault */
function showFault(fault) {
  const message = document.getElementById('message') ?? document.createElement('p');
  message.id = 'message';
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
  load('POST', form.getAttribute('action') ?? '', fields)
    .then((page) => {
      show(page);
      listen();
    })
    .catch(showFault);
});

document.addEventListener('click', (event) => {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return;
  const { key } = target.dataset;
  if (key !== undefined) typeKey(target, key);
  if (target instanceof HTMLAnchorElement && target.hasAttribute('data-copy')) {
    event.preventDefault();
    copy(target).catch(showFault);
  }
});

/**
 * @param {HTMLElement} button
 * @param {string} key
 */
function typeKey(button, key) {
  const input = button.closest('form')?.querySelector('[data-answer]');
  if (input instanceof HTMLInputElement) input.value += key;
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
  if (!document.querySelector('.phone')) return;
  events = new EventSource('/phone/events');
  const update = () => load('GET', '/phone').then(show).catch(showFault);
  events.addEventListener('change', ({ data }) => {
    if (data !== main().dataset.version) update();
  });
  events.addEventListener('ended', () => {
    events?.close();
    update();
  });
}

document.documentElement.dataset.live = '';
listen();
focusNewest();
