// Holds the imports of src/ against layers.json, looks for cycles, and for files that outgrew their name.
//
// A key of `layers` is a folder or file below src/, `*` standing for one name; the longest key that fits a file is its rule. What a
// file may import: its own folder (what its key names), and the folders and files of the rule. Tests may import anything; nothing
// else may import test-kit. Debt, with its reason: `"imports": { "src/a.ts -> src/b.ts": "why" }`, `"lines": { "src/a.ts": 620 }`.
// Debt that no longer exists has to go.
import { readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import ts from 'typescript';
import { ROOT, filesUnder } from './setup.mjs';

const { layers, nodeImports, packages, maxLines, debt } = JSON.parse(readFileSync(join(ROOT, 'layers.json'), 'utf8'));
const rules = Object.entries(layers)
  .map(([key, may]) => ({ key, may, depth: key.split('/').length }))
  .sort((a, b) => b.depth - a.depth);
const problems = [];
const usedDebt = new Set();

const files = filesUnder(join(ROOT, 'src'))
  .map((file) => relative(ROOT, file))
  .filter((file) => /\.tsx?$/.test(file));
const graph = new Map();
for (const file of files) checkFile(file);
for (const cycle of findCycles(graph)) problems.push(`${cycle.join(' -> ')}: imports in a circle`);
for (const entry of [...Object.keys(debt.imports), ...Object.keys(debt.lines)]) {
  if (!usedDebt.has(entry)) problems.push(`layers.json: the debt "${entry}" is paid; remove its line`);
}
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;

function checkFile(file) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  checkLines(file, text);
  const imports = importsOf(file, text);
  const targets = imports.filter(({ isRelative, isType, isLazy }) => isRelative && !isType && !isLazy);
  graph.set(
    file,
    targets.map(({ target }) => target),
  );
  if (/\.(test|test-d)\.tsx?$/.test(file)) return;
  const rule = rules.find(({ key }) => fits(file, key));
  if (rule === undefined) {
    problems.push(`${file}: no rule in layers.json for its folder`);
    return;
  }
  for (const each of imports) {
    const why = each.isRelative ? whyNot(file, each.target, rule) : whyNotPackage(each.target, rule);
    if (why === undefined) continue;
    const entry = `${file} -> ${each.target}`;
    if (entry in debt.imports) usedDebt.add(entry);
    else problems.push(`${file}:${each.line}: may not import ${each.target} (${why})`);
  }
}

function checkLines(file, text) {
  const lines = text.split('\n').length - 1;
  if (lines <= maxLines) return;
  usedDebt.add(file);
  const allowed = debt.lines[file] ?? maxLines;
  if (lines > allowed) problems.push(`${file}: ${lines} lines, ${allowed} are allowed; split it by topic`);
}

function whyNot(file, target, { key, may }) {
  if (!target.startsWith('src/')) return target === 'package.json' ? undefined : 'it is outside of src/';
  const own = file.split('/').slice(0, key.split('/').length + 1);
  const ownFolder = own.join('/') === file ? dirname(file) : own.join('/');
  if (ownFolder !== 'src' && target.startsWith(`${ownFolder}/`)) return whyNotOwn(file, target);
  if (may.some((allowed) => fits(target, allowed))) return undefined;
  return `${key} may import ${may.join(', ') || 'nothing'}`;
}

/** A file may import all of its own folder; only a panel belongs to the page and takes no more than its analysis's result. */
function whyNotOwn(file, target) {
  const isPanel = /^src\/analyses\/.*\.tsx$/.test(file);
  return isPanel && !target.endsWith('/result.ts') ? 'a panel may import only the result' : undefined;
}

function whyNotPackage(target, { key }) {
  const isNode = target.startsWith('node:');
  if (isNode ? nodeImports.includes(key) : packages[key]?.includes(target)) return undefined;
  return isNode ? `node: only in ${nodeImports.join(', ')}` : `layers.json names no such package for ${key}`;
}

/** Is `file` the file, or in the folder, that `pattern` (below src/) names? */
function fits(file, pattern) {
  const names = file.split('/').slice(1);
  const wanted = pattern.split('/');
  if (names.length < wanted.length) return false;
  // A pattern that ends in `*` means folders: analyses/* does not hold analyses/registry.ts.
  if (wanted.at(-1) === '*' && names.length === wanted.length) return false;
  return wanted.every((name, at) => name === '*' || name === names[at]);
}

function importsOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (specifier, kind) => {
    const name = specifier.text;
    const isRelative = name.startsWith('.');
    const target = isRelative ? posix.normalize(posix.join(dirname(file), name)) : name;
    const line = source.getLineAndCharacterOfPosition(specifier.getStart()).line + 1;
    found.push({ target, isRelative, isType: kind === 'type', isLazy: kind === 'lazy', line });
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, isTypeOnly(node.importClause) ? 'type' : 'value');
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value');
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, 'type');
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      if (ts.isStringLiteralLike(node.arguments[0])) add(node.arguments[0], 'lazy');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTypeOnly(clause) {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return !clause.name && names && ts.isNamedImports(names) && names.elements.every((element) => element.isTypeOnly);
}

/** One cycle per place where one closes: a depth-first walk that meets a file it is still inside of. */
function findCycles(edges) {
  const cycles = [];
  const state = new Map();
  const path = [];
  const walk = (file) => {
    state.set(file, 'open');
    path.push(file);
    for (const next of edges.get(file) ?? []) {
      if (state.get(next) === 'open') cycles.push([...path.slice(path.indexOf(next)), next]);
      else if (!state.has(next)) walk(next);
    }
    path.pop();
    state.set(file, 'done');
  };
  for (const file of edges.keys()) if (!state.has(file)) walk(file);
  return cycles;
}
