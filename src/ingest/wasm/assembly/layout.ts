/** Where everything lies in the module's memory. The host writes the tables of the first page, and reads the batch. */

/** What a general bare value may consist of: 1 for each such byte. 256 bytes. */
export const WORD_BYTES: usize = 0x1000;
/** By the letter of a row's phase: the number of the phase, or `TO_HOST`. 256 bytes. */
export const PHASE_OF_LETTER: usize = 0x1100;
/** Rows of each letter since the host last looked. 256 × u32. */
export const PHASE_COUNT: usize = 0x1200;
/** Of each side table (8 of them): its columns, 16 × { field: i32, -, absent: f64 }, behind an i32 for their count. */
export const SIDE_TABLES: usize = 0x1800;
export const SIDE_TABLE_BYTES: usize = 272;
/** Rows of each side table in the batch. 8 × u32. */
export const SIDE_COUNT: usize = 0x2100;
/** Where the cells of each side table begin. 8 × u32. */
export const SIDE_CELLS: usize = 0x2120;
/** 10^0 … 10^8 as u64. */
export const POWERS: usize = 0x2140;
/** 31 bytes: 16 times 0xff, then 0. Loaded from 16 − n on: a mask of n bytes. */
export const MASKS: usize = 0x21a0;
/** The values of the args that have columns: 32 × f64. */
export const VALUES: usize = 0x2200;
/** The last two names of rows of one category, as entries: 64 × { last: u32, before: u32 }. */
export const LAST_NAMES: usize = 0x2300;
/** Category text → what the host said of it: 256 × { text: i32, answer: i32 }. */
export const CATEGORIES: usize = 0x2500;
/** The last text of each action, as an entry: 64 × u32. */
export const LAST_TEXTS: usize = 0x2d00;
/** (pid, tid) → track: 1024 × { pid: i32, tid: i32, track: i32, - }. */
export const TRACKS: usize = 0x3000;
export const TRACK_SLOTS: u32 = 1024;

/** Rows of a batch. */
export const CAPACITY: u32 = 4096;
const COLUMNS: usize = 0x8000;
export const NAME: usize = COLUMNS;
export const TRACK: usize = NAME + CAPACITY * 4;
export const NANOS: usize = TRACK + CAPACITY * 4;
export const POSITION: usize = NANOS + CAPACITY * 4;
export const START: usize = POSITION + CAPACITY * 4;
export const DURATION: usize = START + CAPACITY * 8;
export const CORRELATION: usize = DURATION + CAPACITY * 8;
export const OFFSET: usize = CORRELATION + CAPACITY * 8;
export const CATEGORY: usize = OFFSET + CAPACITY * 8;
export const PHASE: usize = CATEGORY + CAPACITY * 2;
export const SIDES: usize = PHASE + CAPACITY;
/** Cells of a side table's row: at most so many, the event's among them. */
export const WIDEST: usize = 17;

/** Learned literals: `NODE_HASHES` finds one by its bytes. */
export const NODE_HASHES: usize = SIDES + 8 * WIDEST * 8 * CAPACITY;
export const NODE_HASH_SLOTS: u32 = 8192;
export const NODES: usize = NODE_HASHES + NODE_HASH_SLOTS * 4;
export const NODES_END: usize = NODES + (1 << 19);
/** By what came before: the entry of the text that came then. Slots × u32. */
export const EXPECTED: usize = NODES_END + 512;
export const EXPECTED_SLOTS: u32 = 1 << 14;
/** What is not fixed begins here. */
export const HEAP: usize = EXPECTED + EXPECTED_SLOTS * 4;
