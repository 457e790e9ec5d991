import { render } from 'preact';
import { App } from './app.tsx';
import { startKeys } from './keys.ts';
import { startRouter } from './router.ts';
import './style.css';

startRouter();
// Before the first picture: effects run after it, and a key that comes between them would be lost.
startKeys();
const host = document.getElementById('app')!;
// The name of the service, which was painted before this script had come.
host.replaceChildren();
render(<App />, host);
