// Holds the comments of what the library exports. What typedoc.json demands comes from typedoc: each function, type and list has one, and all
// that they name is exported. Beside that: a number without a comment, its own or one around it, has its unit in its name or is a count by
// its plural.
import { stripVTControlCharacters } from 'node:util';
import { Application, Logger, LogLevel, ReflectionKind } from 'typedoc';
import { ROOT } from './setup.mjs';

const UNIT = /(Ns|Bytes|Share|Ratio|GBps|s)$/;
/** Numbers that are names, and shares of what is said around them. */
const PLAIN = new Set(['rank', 'device', 'stream', 'correlation', 'event', 'count', 'share', 'size']);

const problems = [];

class Collector extends Logger {
  log(message, level) {
    super.log(message, level);
    if (level >= LogLevel.Warn) problems.push(stripVTControlCharacters(message));
  }
}

process.chdir(ROOT);
const app = await Application.bootstrap({ logLevel: LogLevel.Warn, skipErrorChecking: true, readme: 'none' });
app.logger = new Collector();
const project = await app.convert();
if (project === undefined) problems.push('typedoc cannot read the sources');
else {
  app.validate(project);
  for (const property of project.getReflectionsByKind(ReflectionKind.Property)) {
    if (property.type?.type !== 'intrinsic' || property.type.name !== 'number' || property.flags.isInherited) continue;
    if (UNIT.test(property.name) || PLAIN.has(property.name) || isCommented(property)) continue;
    problems.push(`${property.getFullName()}: a number without a comment and without its unit in its name`);
  }
}
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;

/** Its own comment, or that of the field or the union that it is written in. */
function isCommented(property) {
  for (let each = property; each !== undefined; each = each.parent) {
    if (each.kind === ReflectionKind.Interface || each.kind === ReflectionKind.Class) return false;
    if (each.hasComment?.()) return true;
  }
  return false;
}
