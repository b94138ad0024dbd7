/*
 * Shortcuts of the keyboard, copy buttons, passkeys, and pages that change while they are open. Every page works without this file.
 *
 * Keys: `/` goes to the search box; `j` and `k` go to the next and the previous payment of a list, and Enter opens it.
 */

/** @param {string} text */
function announce(text) {
  const announcement = document.getElementById('announcement');
  if (announcement) announcement.textContent = text;
}

/** Moves the focus in the list. @param {1 | -1} step */
function moveRow(step) {
  const rows = [
    .../** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll('[data-row], tbody tr > :first-child > a')
    ),
  ];
  const now = rows.findIndex((row) => row.matches(':focus'));
  const next = now === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, now + step));
  rows[next]?.focus();
}

/** Whether a key is typed into a field. @param {EventTarget | null} target */
const isField = (target) => target instanceof HTMLElement && target.matches('input, select, textarea');

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
  if (event.key === '/') document.getElementById('search')?.focus();
  else if (event.key === 'j') moveRow(1);
  else if (event.key === 'k') moveRow(-1);
  else return;
  event.preventDefault();
});

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-copy]'))) {
  // The clipboard exists only on https and on this machine.
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = document.getElementById(button.dataset.copy ?? '')?.textContent ?? '';
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    announce('Copied.');
  });
}

/** The part of a page that names its stream of changes. */
const live = () => /** @type {HTMLElement | null} */ (document.querySelector('[data-live]'));

/** @type {EventSource | undefined} */
let changes;

/** What the page says of a final payment. */
const served = document.getElementById('live')?.textContent ?? '';

/** Says whether the page changes by itself. @param {string} text */
function showLive(text) {
  const line = document.getElementById('live');
  if (line) line.textContent = text;
}

/** Whether a field has what the page gave it. @param {Element} field */
function isUntouched(field) {
  if (field instanceof HTMLSelectElement) {
    const given = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex === Math.max(0, given);
  }
  if (field instanceof HTMLTextAreaElement) return field.value === field.defaultValue;
  if (!(field instanceof HTMLInputElement)) return true;
  return field.value === field.defaultValue && field.checked === field.defaultChecked;
}

/** Whether a person types in a part, or has typed in it. @param {Element} part */
function isInUse(part) {
  const fields = [...part.querySelectorAll('input, select, textarea')];
  return fields.some((field) => field === document.activeElement || !isUntouched(field));
}

/** Replaces a part of the page. What a person has opened stays open. @param {Element} part @param {Element} next */
function replacePart(part, next) {
  const details = [...part.querySelectorAll('details')];
  next.querySelectorAll('details').forEach((one, index) => {
    one.open = details[index]?.open ?? false;
  });
  part.replaceWith(next);
}

/** Reads the page again, and replaces the parts that differ. A form in which a person types stays as it is. */
function update() {
  const request = new XMLHttpRequest();
  // The browser builds the document, without a text that becomes markup here.
  request.responseType = 'document';
  request.open('GET', location.href);
  request.setRequestHeader('x-live', '1');
  request.onload = () => {
    const next = request.responseXML;
    if (request.status !== 200 || !next?.querySelector('[data-live]')) return;
    let kept = '';
    for (const part of document.querySelectorAll('[data-part]')) {
      const other = next.getElementById(part.id);
      if (!other || part.isEqualNode(other)) continue;
      if (isInUse(part))
        kept = ' The form in which you type stays as it was: send it, or load the page again.';
      else replacePart(part, other);
    }
    showLive(`Updated ${new Date().toISOString().slice(11, 19)} UTC.${kept}`);
    announce('The payment has changed.');
  };
  request.send();
}

/** Listens for changes while the page is visible: a hidden one would use a connection of the browser. */
function listen() {
  const path = live()?.dataset.live;
  if (!path || document.hidden) {
    changes?.close();
    changes = undefined;
    return;
  }
  if (changes) return;
  const source = new EventSource(path);
  changes = source;
  source.addEventListener('change', ({ data }) => {
    if (data !== live()?.dataset.version) update();
    else showLive(live()?.dataset.final === undefined ? 'This page changes by itself.' : served);
  });
  source.addEventListener('ended', () => {
    source.close();
    showLive('Your session has ended. Sign in again.');
  });
  source.addEventListener('error', () => {
    const isRefused = source.readyState === EventSource.CLOSED;
    showLive(
      isRefused
        ? 'This page does not change by itself now.'
        : 'The gateway does not answer. This page goes on by itself when it is back.',
    );
  });
}

document.addEventListener('visibilitychange', listen);
listen();

/** Where the page keeps what a person types while it loads again. */
const kept = location.pathname;

const masked = /** @type {HTMLElement | null} */ (document.querySelector('[data-masked-after]'));
// A page with whole numbers loads again when their time has ended.
if (masked)
  setTimeout(() => {
    const fields = /** @type {NodeListOf<HTMLTextAreaElement>} */ (document.querySelectorAll('main [name]'));
    sessionStorage[kept] = JSON.stringify(
      [...fields].flatMap((field) => (isUntouched(field) ? [] : [[field.id, field.value]])),
    );
    location.reload();
  }, Number(masked.dataset.maskedAfter));

for (const [id, value] of JSON.parse(sessionStorage[kept] ?? '[]'))
  Object.assign(document.getElementById(id) ?? {}, { value });
delete sessionStorage[kept];

/** A challenge of a page is accepted for five minutes. */
const challengeMs = 4 * 60_000;

/** Creates or uses a passkey. @param {any} options @returns {Promise<PublicKeyCredential>} */
async function askPasskey(options) {
  const found = options.user
    ? await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
      })
    : await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
      });
  return /** @type {PublicKeyCredential} */ (found);
}

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (
  document.querySelectorAll('form[data-passkey]')
)) {
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) continue;
  const field = /** @type {HTMLInputElement} */ (form.elements.namedItem('credential'));
  const alert = /** @type {HTMLElement} */ (form.querySelector('[role=alert]'));
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    if (field.value) return;
    event.preventDefault();
    if (performance.now() > challengeMs) {
      location.assign(location.href);
      return;
    }
    alert.hidden = true;
    try {
      field.value = JSON.stringify(await askPasskey(JSON.parse(form.dataset.passkey ?? '')));
    } catch {
      alert.hidden = false;
      return;
    }
    form.requestSubmit();
    field.value = '';
  });
}
