import { Field, type RawRow } from '../trace/raw-row.ts';
import { BYTE, INCOMPLETE, skipSpace } from './bytes.ts';
import type { ByteInterner } from './intern.ts';
import { argsOpen, Cell, EVENT_OPEN, Literals, MAX_CREDIT, stands } from './literals.ts';
import { Action, KeyReader } from './read-key.ts';
import { ValueReader } from './read-value.ts';

/**
 * Reads one event's bytes into a `RawRow`. All of the event must lie in one buffer, with quotes behind its end (`SENTINELS`):
 * where it does not, the answer is `INCOMPLETE` and the caller comes back with more bytes.
 */
export class EventReader {
  readonly #values: ValueReader;
  readonly #literals = new Literals();
  readonly #keys = new KeyReader();
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));

  constructor(row: RawRow, interner: ByteInterner) {
    this.#values = new ValueReader(row, interner);
  }

  /** `RowDamage` of the last event. */
  get damage(): number {
    return this.#values.damage;
  }

  /** Reads the event whose `{` is at `from`. Returns the byte behind its `}`, or `INCOMPLETE`, or `BAD`. */
  read(bytes: Uint8Array, from: number, end: number): number {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    const view = this.#view;
    const values = this.#values;
    values.begin(bytes, view, end);
    const { row } = values;
    const literals = this.#literals;
    const { table } = literals;
    let node: number = EVENT_OPEN;
    let inArgs = false;
    let isFirst = true;
    let at = from + 1;
    /** Where the last value begins and the node before it; 0 where there is none that a shortcut could learn. */
    let valueFrom = 0;
    let valueNode = 0;
    for (;;) {
      // What stands between two values: known, or taken apart and learned.
      let action: number;
      let next = table[node];
      if (next === 0 || !stands(table, next, view, at)) next = literals.match(node, view, at);
      if (next !== 0) {
        at += table[next + Cell.length];
        action = table[next + Cell.action];
      } else {
        const behind = this.#keys.read(bytes, at, end, inArgs, isFirst);
        if (behind < 0) return behind;
        action = this.#keys.action;
        next = literals.learn(node, view, at, behind, action, inArgs);
        at = behind;
      }
      node = next;
      if (valueNode !== 0) this.#learnShortcut(valueNode, node, valueFrom, at);
      isFirst = false;
      for (;;) {
        valueNode = 0;
        if (action <= Action.closeEvent) {
          if (action === Action.closeEvent) return at > end ? INCOMPLETE : at;
          inArgs = false;
          break;
        }
        if (bytes[at] <= BYTE.space) at = skipSpace(bytes, at);
        if (at >= end) return INCOMPLETE;
        if (action === Action.args && bytes[at] === BYTE.openObject) {
          row.present = 0;
          inArgs = true;
          isFirst = true;
          node = argsOpen(row.category);
          at++;
          break;
        }
        let shortcut = table[node + Cell.shortcut];
        if (shortcut !== 0) {
          if (!stands(table, shortcut, view, at)) shortcut = literals.matchShortcut(node, view, at);
          if (shortcut !== 0) table[node + Cell.credit] = (table[node + Cell.credit] + 1) & MAX_CREDIT;
        }
        if (shortcut === 0) {
          valueFrom = at;
          at = values.read(action, at);
          if (at < 0) return at;
          if (canShorten(action) && table[node + Cell.credit] > 0) valueNode = node;
          break;
        }
        if (action !== Action.unknown) values.takeKnown(action, table[shortcut + Cell.value]);
        at += table[shortcut + Cell.length];
        action = table[shortcut + Cell.action];
        node = table[shortcut + Cell.target];
      }
    }
  }

  /** Keeps the value just read, which begins at `from`, and the literal behind it, which ends at `to`. */
  #learnShortcut(node: number, target: number, from: number, to: number): void {
    if (target === 0 || this.#values.damage !== 0) return;
    const value = this.#values.known(this.#literals.table[node + Cell.action]);
    if (value !== undefined) this.#literals.learnShortcut(node, target, this.#view, from, to, value);
  }
}

/** Values of these keys hardly ever come twice, or are too many. */
const canShorten = (action: number): boolean =>
  action <= Action.tid
    ? action !== Action.name && action !== Action.args
    : action > Action.firstField + Field.externalId;
