// What `start`, `test` and `check` need first: installed packages and a build that matches the sources. Node built-ins only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
export const CACHE = join(ROOT, 'node_modules/.cache/longpole');
export const BUILD_STAMP = 'dist/.build-hash';

const BUILD_INPUTS = [
  'src',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.library.json',
  'scripts/build.mjs',
  'scripts/build-scanner.mjs',
];

/** Runs a program with the terminal's streams; the exit code, or 128 + the signal's place as shells have it. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (done.error) throw done.error;
  return done.status ?? (done.signal === 'SIGINT' ? 130 : 143);
}

/** `npm ci`, if what is installed is not what the lock says. Its words go to stderr: stdout is the answer's. */
export function ensureInstalled() {
  if (isInstalled()) return;
  process.stderr.write('installing packages (npm ci)\n');
  const code = run('npm', ['ci', '--no-progress'], { stdio: ['ignore', 2, 2] });
  if (code !== 0) process.exit(code);
}

function isInstalled() {
  const installedFile = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

/** Builds if a source changed since the last build; false where that failed. Its words go to stderr. */
export function ensureBuilt() {
  if (isBuilt()) return true;
  process.stderr.write('building\n');
  return run('node', ['scripts/build.mjs', '--no-dts'], { stdio: ['ignore', 2, 2] }) === 0;
}

export function isBuilt() {
  const stamp = join(ROOT, BUILD_STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === sourceHash();
}

/** A hash over the names and bytes of all that the build reads. Unlike times, it survives a checkout. */
export function sourceHash() {
  const hash = createHash('sha256');
  for (const input of BUILD_INPUTS) {
    for (const file of filesUnder(join(ROOT, input))) {
      if (/\.(test|test-d|generated)\.ts(\.\d+)?$|\.md$|\/golden\//.test(file)) continue;
      hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

/** All files under a folder, sorted; a file is itself; what does not exist is nothing. */
export function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const below = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return below.flatMap((each) => {
    if (each.name === 'node_modules' || each.name.startsWith('.')) return [];
    return each.isDirectory() ? filesUnder(join(path, each.name)) : [join(path, each.name)];
  });
}

/** Runs `action` while no other process of this clone holds the lock; one left by a process that ended is taken over. */
export async function withLock(name, action) {
  const lock = join(CACHE, `${name}.lock`);
  mkdirSync(CACHE, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isHeld(lock)) rmSync(lock, { force: true });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  try {
    return await action();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isHeld(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // An empty file is one that its owner is about to write.
    if (pid === 0) return Date.now() - statSync(lock).mtimeMs < 5000;
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
