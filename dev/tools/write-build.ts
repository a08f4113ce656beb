import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadDescription } from '#gateway/openapi/load-description.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'

const folder = join(import.meta.dirname, '../../dist')
// These are deployed beside the Workers bundle.
const assets = join(folder, 'worker-assets')

/**
 * Writes a file in `dist` under a temporary name and then renames it, because another build may be reading the old one.
 */
const write = (path: string, content: string) => {
  const unfinished = join(folder, `${basename(path)}.${process.pid}`)
  writeFileSync(unfinished, content)
  renameSync(unfinished, path)
}

// The builds for Node and Workers run this first. A bundle does not contain the sources that its code's identity is
// computed from. The API description becomes a file of its own, because in the bundle it would be larger than all
// handlers together.
mkdirSync(assets, { recursive: true })
const { id, keys } = readOwnBuild()
write(join(folder, 'build.json'), JSON.stringify({ id, keys: Object.fromEntries(keys) }))
for (const audience of ['public', 'operators'] as const)
  write(join(assets, `openapi.${audience}.json`), await loadDescription(audience))
