import MiniSearch from './minisearch.js';

const MOST_RESULTS = 12;
/** Pages about the service's inside: those about its use come first where both have the words. */
const INSIDE = /^(src|bench|console|docs\/contributor)\/|^CONTRIBUTING/;
const input = document.querySelector('#search');
const list = document.querySelector('#results');

// On a small screen the page comes first, and the list of pages is closed.
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('details.pages').open = false;

let loading;
/** Loads the texts when somebody begins to search. */
function load() {
  loading ??= fetch(new URL('../search.json', import.meta.url))
    .then((answer) => answer.json())
    .then((entries) => {
      const index = new MiniSearch({
        fields: ['heading', 'page', 'text'],
        storeFields: ['link', 'page', 'heading', 'text'],
        // Names such as min_service_level are found as a whole and by their words.
        tokenize: (text) =>
          text
            .split(/[^\p{L}\p{N}_]+/u)
            .flatMap((word) => [word, ...(word.includes('_') ? word.split('_') : [])]),
        searchOptions: {
          boost: { heading: 4, page: 2 },
          boostDocument: (_id, _term, { link }) => (INSIDE.test(link) ? 0.3 : 1),
          prefix: true,
          fuzzy: 0.15,
          combineWith: 'AND',
        },
      });
      index.addAll(entries);
      return index;
    });
  return loading;
}

async function search() {
  const words = input.value.trim();
  const index = await load();
  // Somebody may have typed on meanwhile.
  if (words !== input.value.trim()) return;
  show(words === '' ? undefined : index.search(words).slice(0, MOST_RESULTS), words);
}

function show(results, words) {
  list.replaceChildren();
  list.hidden = results === undefined;
  input.setAttribute('aria-expanded', String(results !== undefined));
  input.removeAttribute('aria-activedescendant');
  if (results === undefined) return;
  if (results.length === 0) {
    const none = item(`Nothing is said of “${words}”.`);
    none.setAttribute('role', 'option');
    none.setAttribute('aria-disabled', 'true');
    list.append(none);
  }
  for (const [number, { link, page, heading, text, terms }] of results.entries()) {
    const anchor = document.createElement('a');
    anchor.href = new URL(`../${link}`, import.meta.url);
    anchor.tabIndex = -1;
    const title = document.createElement('strong');
    title.textContent = heading === page || heading === '' ? page : `${page} › ${heading}`;
    const part = document.createElement('span');
    part.textContent = excerpt(text, terms);
    anchor.append(title, part);
    anchor.id = `result-${number}`;
    anchor.setAttribute('role', 'option');
    const line = item(anchor);
    line.setAttribute('role', 'presentation');
    list.append(line);
  }
}

function item(content) {
  const element = document.createElement('li');
  element.append(content);
  return element;
}

/** The words around the longest of those that were found: it says most. */
function excerpt(text, terms) {
  const longest = terms.toSorted((a, b) => b.length - a.length);
  const found = longest.map((term) => text.toLowerCase().indexOf(term)).find((place) => place >= 0);
  const from = Math.max(0, (found ?? 0) - 40);
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 140)}…`;
}

function choose(step) {
  const options = [...list.querySelectorAll('a')];
  if (options.length === 0) return;
  const now = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
  const next = options[(now + step + options.length) % options.length] ?? options[0];
  for (const option of options) option.setAttribute('aria-selected', String(option === next));
  input.setAttribute('aria-activedescendant', next.id);
  next.scrollIntoView({ block: 'nearest' });
}

input.addEventListener('input', search);
input.addEventListener('focus', load, { once: true });
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(1);
  else if (event.key === 'ArrowUp') choose(-1);
  else if (event.key === 'Enter') {
    const chosen = list.querySelector('[aria-selected=true]') ?? list.querySelector('a');
    chosen?.click();
  } else if (event.key === 'Escape') {
    input.value = '';
    show(undefined, '');
    return;
  } else return;
  event.preventDefault();
});
list.addEventListener('click', () => show(undefined, ''));
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
