import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnBuild } from '#migration/evidence/own-build.ts'

// wrangler runs this before it bundles, since a bundle has no sources to compute the identity of its code from.
const folder = join(import.meta.dirname, '../../dist')
const path = join(folder, 'build.json')
const { id, keys } = readOwnBuild()

mkdirSync(folder, { recursive: true })
// Replaced by a rename: another bundle of the same sources may be reading it.
writeFileSync(`${path}.${process.pid}`, JSON.stringify({ id, keys: Object.fromEntries(keys) }))
renameSync(`${path}.${process.pid}`, path)
