import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

// The script's PATH contains only this folder's programs, so the packages count as missing and nothing is installed.
const folder = mkdtempSync(join(tmpdir(), 'install-packages-'))
const log = join(folder, 'log')
// A copy with its own service policy, because images for containers already have one.
const policy = join(folder, 'policy-rc.d')
const script = join(folder, 'install-packages.sh')
const source = readFileSync(join(import.meta.dirname, '../../scripts/install-packages.sh'), 'utf8')
writeFileSync(script, source.replaceAll('/usr/sbin/policy-rc.d', policy))
afterAll(() => rmSync(folder, { recursive: true }))

const writeProgram = (name: string, body: string) => {
  writeFileSync(join(folder, name), `#!/bin/bash\n${body}\n`)
  chmodSync(join(folder, name), 0o755)
}
writeProgram('id', 'echo 1000')
writeProgram(
  'sudo',
  'shift; echo "$*" >>"$LOG"; case "$*" in *"$REJECTED"*) exit 1 ;; *"$INTERRUPTED"*) kill -TERM $PPID ;; esac',
)

const run = (args: readonly string[], { rejected = 'nothing', interrupted = 'nothing' } = {}) => {
  rmSync(log, { force: true })
  const { status, stdout, stderr } = spawnSync('/bin/bash', [script, ...args], {
    encoding: 'utf8',
    env: {
      PATH: folder,
      LOG: log,
      REJECTED: rejected,
      INTERRUPTED: interrupted,
      CHROMIUM_PATH: join(folder, 'chromium'),
    },
  })
  const commands = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
  return { status, stdout, stderr, commands }
}
const isInstallation = (command: string) => command.includes('apt-get install')

describe('scripts/install-packages.sh', () => {
  it('lists what is missing, without installing anything', () => {
    const { status, stdout, commands } = run(['--list'])
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['chromium', 'ffmpeg', 'jq', 'prometheus']))
    expect(commands).toEqual([])
  })

  it('does not list what is installed', () => {
    writeProgram('jq', 'exit 0')
    const { stdout } = run(['--list'])
    rmSync(join(folder, 'jq'))
    expect(stdout.split('\n')).not.toContain('jq')
  })

  it('installs everything that is missing if it runs as root', () => {
    const missing = run(['--list']).stdout.trim().split('\n')
    const { status, commands } = run([])
    expect(status).toBe(0)
    expect(commands[0]).toBe('apt-get update -qq')
    const [installation = ''] = commands.filter(isInstallation)
    expect(installation).toContain('DEBIAN_FRONTEND=noninteractive')
    expect(installation.endsWith(` ${missing.join(' ')}`)).toBe(true)
  })

  it.each([
    ['after the installation', {}],
    ['if the installation fails', { rejected: 'apt-get install' }],
    ['if it is interrupted', { interrupted: 'apt-get install' }],
  ])("starts no services, and restores the machine's service policy %s", (_, ends) => {
    const { commands } = run([], ends)
    const at = commands.findIndex(isInstallation)
    const writes = commands.findIndex((command) => command.startsWith('install ') && command.endsWith(policy))
    expect(writes).toBeGreaterThanOrEqual(0)
    expect(writes).toBeLessThan(at)
    expect(commands.at(-1)).toBe(`rm -f ${policy}`)
  })

  it("keeps the machine's own service policy", () => {
    writeFileSync(policy, '')
    const { commands } = run([])
    rmSync(policy)
    expect(commands.filter((command) => command.includes(policy))).toEqual([])
  })

  it('names the packages that it could not install', () => {
    const { status, stderr } = run([], { rejected: 'apt-get update' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^could not install git chromium ffmpeg .*\n$/)
  })
})
