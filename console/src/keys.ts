import { addressOf, navigate, PAGES } from './router.ts';
import { isHelpOpen } from './ui/help.tsx';
import { isSearchOpen } from './ui/search.tsx';

/** Longest pause between `g` and the letter of a page. */
const PAUSE_MS = 1500;

/** Reads the keys that work on every page. */
export function startKeys(): void {
  let pressedG = Number.NEGATIVE_INFINITY;
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    const isSecond = event.timeStamp - pressedG < PAUSE_MS;
    pressedG = event.key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const target = isSecond ? PAGES.find(({ key }) => key === event.key) : undefined;
    if (target) navigate(addressOf(target.path));
    else if (event.key === '/') isSearchOpen.value = true;
    else if (event.key === '?') isHelpOpen.value = true;
    else return;
    event.preventDefault();
  };
  window.addEventListener('keydown', onKey);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['range', 'checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName);
}
