// node --import ./bench/usage.mjs …: at its end the process says on descriptor 3 what it used, as JSON.
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

process.on('exit', () => {
  if (!isMainThread) return;
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ peakBytes: peakBytes(), cpuMs: (user + system) / 1000 }));
});

/** What Linux says of this process alone; `maxRSS` may begin with what its parent held. */
function peakBytes() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
