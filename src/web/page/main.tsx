/** The page of `longpole serve`. */
import { serverEngine } from './ask.ts';
import { startPage } from './start.tsx';

const root = document.getElementById('page');
if (root === null) throw new Error('the page has no root');
startPage({ root, engine: serverEngine, createWorker: () => Promise.resolve(new Worker('engine.js')) });
