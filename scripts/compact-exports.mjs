// Node parses the package.json of a package again for each of its modules, and that of drizzle-orm lists hundreds of
// files: every process takes a third of a second and 180 MB more to start. This script replaces the entries that follow
// one pattern by that pattern. Every import resolves as before.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules')
const path = join(modules, 'drizzle-orm', 'package.json')

const createEntry = (name) => {
  const esm = { types: `./${name}.d.ts`, default: `./${name}.js` }
  const commonJs = { types: `./${name}.d.cts`, default: `./${name}.cjs` }
  return { import: esm, require: commonJs, ...esm }
}
const matchesPattern = ([key, entry]) => JSON.stringify(entry) === JSON.stringify(createEntry(key.slice(2)))

const description = existsSync(path) && JSON.parse(readFileSync(path, 'utf8'))
if (description?.exports && !description.exports['./*']) {
  const otherEntries = Object.entries(description.exports).filter((entry) => !matchesPattern(entry))
  const compact = {
    ...description,
    exports: { ...Object.fromEntries(otherEntries), './*': createEntry('*') },
  }
  // Replaced by a rename: package managers may hard-link the file between projects, and a process may be reading it.
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(compact))
  renameSync(`${path}.${process.pid}`, path)
}
