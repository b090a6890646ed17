import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../base/format.ts';
import { wholeOf } from '../timeline/view.ts';
import { fitWindow } from './keys.ts';
import { type Model, NONE } from './model.ts';
import { SchemeButton } from './scheme-button.tsx';
import { SaveMenu } from './save-menu.tsx';

const TYPING_MS = 120;

export function Toolbar({ model }: { readonly model: Model }) {
  const { windows } = model.timeline;
  return (
    <div class="toolbar" role="toolbar" aria-label="Timeline">
      <label>
        Fit{' '}
        <select
          aria-label="Fit to"
          value=""
          onChange={({ currentTarget }) => {
            const window = windows[Number(currentTarget.value)];
            if (currentTarget.value === 'all') model.view.value = wholeOf(model.bounds);
            else if (window !== undefined) fitWindow(model, window);
            currentTarget.value = '';
          }}
        >
          <option value="">to…</option>
          <option value="all">whole trace</option>
          {windows.map(({ label }, i) => (
            <option key={i} value={i}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Toggle name="Path only (M)" isOn={model.isDimmed.value} set={(isOn) => (model.isDimmed.value = isOn)} />
      <button type="button" onClick={() => model.takeArea()}>
        Sum area (R)
      </button>
      <button
        type="button"
        disabled={model.selected.value === NONE && model.area.value === undefined}
        onClick={() => model.zoomTo()}
      >
        Zoom to it (Z)
      </button>
      <Search model={model} />
      <SaveMenu model={model} />
      <SchemeButton scheme={model.scheme} />
      <button
        type="button"
        aria-expanded={model.hasHelp.value}
        onClick={() => (model.hasHelp.value = !model.hasHelp.value)}
      >
        Keys (?)
      </button>
    </div>
  );
}

interface ToggleProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
}

function Toggle({ name, isOn, set }: ToggleProps) {
  return (
    <button type="button" aria-pressed={isOn} onClick={() => set(!isOn)}>
      {name}
    </button>
  );
}

function Search({ model }: { readonly model: Model }) {
  const query = model.query.value;
  const [typed, setTyped] = useState(query);
  /** What was asked from here: it may be older than what has been typed since. */
  const asked = useRef(query);
  const ask = (text: string): void => {
    asked.current = text;
    model.query.value = text;
  };
  // A link that was opened, or the way back, changes it from outside.
  useEffect(() => {
    if (query !== asked.current) setTyped(query);
    asked.current = query;
  }, [query]);
  useEffect(() => {
    const timer = setTimeout(() => ask(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [model, typed]);
  return (
    <search>
      <input
        id="search"
        type="search"
        placeholder="Search: gemm kind:kernel dur&gt;10us"
        aria-label="Search. name:, kind:, lane:, dur>10us; a minus before it turns it round"
        aria-describedby="hits"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'Enter') return;
          ask(event.currentTarget.value);
          model.jump(event.shiftKey ? -1 : 1);
        }}
      />
      <button
        type="button"
        aria-label="Previous hit"
        onClick={() => model.jump(-1)}
        disabled={model.hits.value.length === 0}
      >
        ◂
      </button>
      <button
        type="button"
        aria-label="Next hit"
        onClick={() => model.jump(1)}
        disabled={model.hits.value.length === 0}
      >
        ▸
      </button>
      <span id="hits" role="status">
        {hitsText(model)}
      </span>
    </search>
  );
}

function hitsText(model: Model): string {
  const problem = model.queryProblem.value;
  if (problem !== undefined) return problem;
  if (model.query.value.trim() === '') return '';
  const hits = model.hits.value;
  if (hits.length === 0) return 'no hits';
  const at = model.selected.value === NONE ? -1 : hits.indexOf(model.selected.value);
  return at === -1 ? `${formatCount(hits.length)} hits` : `${formatCount(at + 1)} of ${formatCount(hits.length)}`;
}
