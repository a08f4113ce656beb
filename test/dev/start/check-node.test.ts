import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const check = './scripts/check-node.mjs'
const preparation = './scripts/prepare-node.mjs'

describe('a Node that cannot run the sources', () => {
  it('is described in one sentence', () => {
    // A data URL with the check after the version was changed: other versions of Node may not be installed.
    const source = readFileSync(join(root, check), 'utf8').replace(
      '= process',
      "= { ...process, versions: { node: '20.1.2' } }",
    )
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(source)}`, 'bin/server.ts'],
      { cwd: root, encoding: 'utf8' },
    )
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /^Node 20\.1\.2 \(\/\S+\) cannot run the sources, which need Node 24 or later: [^\n]+\.\n$/,
    )
  })

  it('is reported by every npm script that runs the sources', () => {
    const commands: string[] = Object.values(scripts)
    const running = commands.filter((command) => /\S+\.ts\b/.test(command) && command.startsWith('node '))
    expect(running.length).toBeGreaterThan(8)
    for (const command of running) expect(command).toMatch(`node --import ${preparation} `)
    expect(readFileSync(join(root, preparation), 'utf8')).toContain("\nimport './check-node.mjs'\n")
    for (const file of ['server', 'jobs'])
      expect(readFileSync(join(root, `gateway/${file}.ts`), 'utf8')).toMatch(
        /^import '\.\.\/scripts\/check-node\.mjs'\n/,
      )
  })
})
