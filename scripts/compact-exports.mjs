// Node parses the package.json of a package anew for each of its modules, and drizzle-orm's lists each of its hundreds
// of files: left so, every process of ours needs a third of a second and 180 MB more to start. The entries that one
// pattern says as well are replaced by it; every import resolves as before.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules')
const path = join(modules, 'drizzle-orm', 'package.json')

const entryOf = (name) => {
  const esm = { types: `./${name}.d.ts`, default: `./${name}.js` }
  const commonJs = { types: `./${name}.d.cts`, default: `./${name}.cjs` }
  return { import: esm, require: commonJs, ...esm }
}
const isSaidByPattern = ([key, entry]) => JSON.stringify(entry) === JSON.stringify(entryOf(key.slice(2)))

const description = existsSync(path) && JSON.parse(readFileSync(path, 'utf8'))
if (description?.exports && !description.exports['./*']) {
  const kept = Object.entries(description.exports).filter((entry) => !isSaidByPattern(entry))
  const compact = { ...description, exports: { ...Object.fromEntries(kept), './*': entryOf('*') } }
  // Another name first: package managers may share the file between projects, and a start may be reading it.
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(compact))
  renameSync(`${path}.${process.pid}`, path)
}
