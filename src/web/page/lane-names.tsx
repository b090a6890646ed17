import { formatCount } from '../../base/format.ts';
import { valueText } from '../timeline/counter-columns.ts';
import type { PlacedLane } from '../timeline/lanes.ts';
import type { Model } from './model.ts';
import { RULER_HEIGHT } from './frame.ts';

interface Props {
  readonly model: Model;
}

/** The column of names: what folds, pins and moves lanes, and the field that filters them. */
export function LaneNames({ model }: Props) {
  const { lanes, height } = model.layout.value;
  const stuck = model.stuck();
  const fixed = lanes.filter(({ isPinned }) => isPinned && stuck > 0);
  const loose = lanes.filter(({ isPinned }) => !isPinned || stuck === 0);
  return (
    <div class="names" style={{ height: `${height + RULER_HEIGHT}px` }}>
      <Corner model={model} />
      {stuck === 0 ? null : (
        <div class="stuck" style={{ top: `${RULER_HEIGHT}px`, height: `${stuck}px` }}>
          {fixed.map((placed) => (
            <LaneName key={placed.lane.id} model={model} placed={placed} from={0} />
          ))}
        </div>
      )}
      {loose.map((placed) => (
        <LaneName key={placed.lane.id} model={model} placed={placed} from={RULER_HEIGHT} />
      ))}
    </div>
  );
}

function Corner({ model }: Props) {
  const { timeline } = model;
  const shown = model.order.value.shown.length;
  const all = timeline.lanes.length;
  const lanes = shown === all ? `${formatCount(all)} lanes` : `${formatCount(shown)} of ${formatCount(all)} lanes`;
  return (
    <div class="corner" style={{ height: `${RULER_HEIGHT}px` }}>
      <span>
        {timeline.rank === undefined ? '' : `rank ${timeline.rank}, `}
        {lanes}
      </span>
      <input
        id="lane-filter"
        type="search"
        placeholder="Filter: stream, -sync"
        aria-label="Lanes with these words; a comma means or, a minus leaves them out"
        value={model.wishes.value.filter}
        onInput={({ currentTarget }) => {
          model.wishes.value = { ...model.wishes.value, filter: currentTarget.value };
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </div>
  );
}

interface NameProps extends Props {
  readonly placed: PlacedLane;
  /** The top of the first lane, in pixels from what holds the names. */
  readonly from: number;
}

function LaneName({ model, placed, from }: NameProps) {
  const { lane, top, isFolded, isPinned, counterTop } = placed;
  const counter = lane.counter === undefined ? undefined : model.timeline.counters[lane.counter];
  return (
    <>
      <div class="lane-name" style={{ top: `${top + from}px` }}>
        <button
          type="button"
          class="fold"
          aria-expanded={!isFolded}
          title={`${lane.title} (${lane.id}). Alt and ↑, ↓ move it, Alt P pins it`}
          onClick={() => model.toggle(lane.id)}
          onKeyDown={(event) => {
            if (pressLaneKey(model, lane.id, event)) event.preventDefault();
          }}
        >
          <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span> {lane.title}
        </button>
        <span class="lane-acts">
          <Act text="↑" name={`Move ${lane.title} up`} act={() => model.moveLane(lane.id, -1)} />
          <Act text="↓" name={`Move ${lane.title} down`} act={() => model.moveLane(lane.id, 1)} />
          <Act text="⚲" name={`Pin ${lane.title}`} isOn={isPinned} act={() => model.pin(lane.id)} />
        </span>
      </div>
      {counterTop === undefined || counter === undefined ? null : (
        <div class="counter-name" style={{ top: `${counterTop + from}px` }} title={counter.title}>
          up to {valueText(counter.max, counter.unit)}
        </div>
      )}
    </>
  );
}

interface ActProps {
  readonly text: string;
  readonly name: string;
  readonly isOn?: boolean;
  readonly act: () => void;
}

/** For the pointer: the keyboard has keys on the name itself. */
function Act({ text, name, isOn, act }: ActProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={name}
      title={name}
      {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
      onClick={act}
    >
      {text}
    </button>
  );
}

function pressLaneKey(model: Model, id: string, event: KeyboardEvent): boolean {
  if (!event.altKey || event.ctrlKey || event.metaKey) return false;
  // The code: with Alt, some keyboards write another letter.
  if (event.code === 'KeyP') model.pin(id);
  else if (event.key === 'ArrowUp') model.moveLane(id, -1);
  else if (event.key === 'ArrowDown') model.moveLane(id, 1);
  else return false;
  return true;
}
