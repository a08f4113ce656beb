import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadDescription } from '#gateway/openapi/load-description.ts'
import { readOwnBuild } from '#migration/parity/evidence/own-build.ts'

const folder = join(import.meta.dirname, '../../dist')
// What is in here is deployed beside the bundle for Workers.
const assets = join(folder, 'worker-assets')

/** Writes a file of `dist`. It is replaced by a rename: another bundle of the same sources may be reading it. */
const write = (path: string, content: string) => {
  const unfinished = join(folder, `${basename(path)}.${process.pid}`)
  writeFileSync(unfinished, content)
  renameSync(unfinished, path)
}

// The builds for Node and for Workers run this first: a bundle has no sources to compute the identity of its code from, and its API
// description would be larger than all handlers together.
mkdirSync(assets, { recursive: true })
const { id, keys } = readOwnBuild()
write(join(folder, 'build.json'), JSON.stringify({ id, keys: Object.fromEntries(keys) }))
for (const audience of ['public', 'operators'] as const)
  write(join(assets, `openapi.${audience}.json`), await loadDescription(audience))
