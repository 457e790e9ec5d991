import { render } from 'preact';
import { App } from './app.tsx';
import { startRouter } from './router.ts';
import './style.css';

startRouter();
const host = document.getElementById('app')!;
// The name of the service, which was painted before this script had come.
host.replaceChildren();
render(<App />, host);
