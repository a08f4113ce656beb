// Loaded before the npm scripts' programs. Node caches their compiled modules, so a process starts in two thirds of the
// time. If the cache folder is not writable, Node compiles them each time.
import './check-node.mjs'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

if (!existsSync(new URL('../node_modules/zod', import.meta.url))) {
  process.stderr.write('The dependencies are not installed: run npm ci.\n')
  process.exit(1)
}

module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
