import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const check = './scripts/check-node.mjs'
const preparation = './scripts/prepare-node.mjs'

// Runs a copy of the check with another Node version written into it, because other versions may not be installed.
const runCheck = async (name: string, environment = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'check-node-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const source = readFileSync(join(root, check), 'utf8').replace(
    '= process\n',
    "= { ...process, versions: { node: '20.1.2' } }\n",
  )
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), source)
  const env = { ...process.env, ...environment }
  return spawnSync(process.execPath, [join(folder, name)], { encoding: 'utf8', env })
}

describe('a Node that is too old', () => {
  it.each([
    ['by the sources', 'scripts/check-node.mjs', {}, ' Run npm ci, which installs one, '],
    [
      'by npm ci',
      'scripts/check-node.mjs',
      { npm_lifecycle_event: 'postinstall' },
      ' npm has none for this platform: ',
    ],
    ['by a bundle', 'check-node.mjs', {}, '\n'],
  ])('is reported %s in one line', async (_, name, environment, advice) => {
    const { status, stderr } = await runCheck(name, environment)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Node 20\.1\.2 \(\/\S+\) is too old: Crossfade needs Node 24 or later\.[^\n]*\n$/)
    expect(stderr).toContain(`24 or later.${advice}`)
  })

  it('is reported by every npm script that runs the sources', () => {
    const commands: string[] = Object.values(scripts)
    const running = commands.filter((command) => /\S+\.ts\b/.test(command) && command.startsWith('node '))
    expect(running.length).toBeGreaterThan(8)
    for (const command of running) expect(command).toMatch(`node --import ${preparation} `)
    expect(readFileSync(join(root, preparation), 'utf8')).toContain("\nimport './check-node.mjs'\n")
    for (const file of ['server', 'jobs'])
      expect(readFileSync(join(root, `bin/${file}.ts`), 'utf8')).toMatch(
        /^import '\.\.\/scripts\/check-node\.mjs'\n/,
      )
  })
})
