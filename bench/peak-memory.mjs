// node --import ./bench/peak-memory.mjs …: at its end the process says on descriptor 3 how many bytes it held at most.
import { readFileSync, writeSync } from 'node:fs';

process.on('exit', () => writeSync(3, String(peakBytes())));

/** What Linux says of this process alone; `maxRSS` may begin with what its parent held. */
function peakBytes() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
