/** The script of the file that `longpole report --html` writes: draws the charts, and shows the timeline that lies in the file. */
import type { Snapshot } from '../../protocol/snapshot.ts';
import { unpackText } from '../page/packed.ts';
import { snapshotEngine } from '../page/snapshot-engine.ts';
import { startPage } from '../page/start.tsx';
import { startCharts } from './charts.ts';

/** The file's two views. Only one is in the document, so that names in it are of one. */
class Views {
  readonly #report: HTMLElement;
  readonly #page = document.createElement('div');
  readonly #snapshot: Snapshot;
  #isStarted = false;
  /** Of the view that is not shown. */
  #otherTitle = document.title;

  constructor(report: HTMLElement, snapshot: Snapshot) {
    this.#report = report;
    this.#page.id = 'page';
    this.#snapshot = snapshot;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Timeline';
    button.addEventListener('click', () => this.show('page'));
    report.querySelector('.kind')?.after(button);
    // What is printed is the report.
    addEventListener('beforeprint', () => {
      if (!this.#page.isConnected) return;
      this.show('report');
      addEventListener('afterprint', () => this.show('page'), { once: true });
    });
  }

  show(view: 'report' | 'page'): void {
    for (const name of ['report', 'page']) {
      document.getElementById(`${name}-style`)?.setAttribute('media', name === view ? 'all' : 'not all');
    }
    const [from, to] = view === 'page' ? [this.#report, this.#page] : [this.#page, this.#report];
    if (from.isConnected) {
      from.replaceWith(to);
      [document.title, this.#otherTitle] = [this.#otherTitle, document.title];
    }
    if (view === 'page' && !this.#isStarted) this.#start();
  }

  #start(): void {
    this.#isStarted = true;
    startPage({
      root: this.#page,
      engine: snapshotEngine(this.#snapshot),
      createWorker,
      beside: (
        <button type="button" onClick={() => this.show('report')}>
          Report
        </button>
      ),
    });
  }
}

/** From the text that lies in the file: nothing is loaded from elsewhere. */
async function createWorker(): Promise<Worker> {
  const text = await unpackText(document.getElementById('engine')?.textContent ?? '');
  return new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
}

/** Whether the address names a part of the report. */
const isAtSection = (report: HTMLElement): boolean =>
  /^#[a-z0-9-]+$/.test(location.hash) && report.querySelector(location.hash) !== null;

startCharts();
const report = document.querySelector('main');
const snapshot = document.getElementById('snapshot')?.textContent;
if (report !== null && snapshot) {
  const views = new Views(report, JSON.parse(snapshot) as Snapshot);
  if (!isAtSection(report)) views.show('page');
}
